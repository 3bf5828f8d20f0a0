<#
.SYNOPSIS
Writes what a SharePoint farm is made of to a file for 'fastctl diagnose --farm'.

.DESCRIPTION
Reads servers, roles, builds, services, service applications, managed accounts and addresses with cmdlets that only get,
and writes them as JSON (schema fastctl.farm/1). It changes nothing on the farm and reads no password or key. What it has
no right to read, or this version of SharePoint does not have, is null in the file and named as a warning.

Run it in the SharePoint Management Shell on one server of the farm, as an account that may read the farm (a member of
the farm administrators with Shell access).

.PARAMETER Path
The file to write. It must not exist, unless -Force is given.

.PARAMETER Force
Replace the file.

.EXAMPLE
.\Get-FarmFacts.ps1 -Path .\farm.json
#>
[CmdletBinding()]
param(
    [Parameter(Mandatory = $true)][string]$Path,
    [switch]$Force
)

Set-StrictMode -Version 2.0
$ErrorActionPreference = 'Stop'

if (-not (Get-Command -Name Get-SPFarm -ErrorAction SilentlyContinue)) {
    Add-PSSnapin -Name Microsoft.SharePoint.PowerShell
}

$file = $ExecutionContext.SessionState.Path.GetUnresolvedProviderPathFromPSPath($Path)
if ((Test-Path -LiteralPath $file) -and -not $Force) {
    throw "$file exists: name another file, or add -Force."
}

# Runs a block that reads; $null and a warning if it fails, so that one missing right does not hide the rest.
function Read-Fact([string]$What, [scriptblock]$Block) {
    try { & $Block }
    catch {
        Write-Warning "$What cannot be read: $($_.Exception.Message)"
        $null
    }
}

# A list stays a list in JSON, even with one item or none.
function As-List($Items) { , @($Items | Where-Object { $null -ne $_ }) }

# The identities of products, as (Get-SPFarm).Products names them.
$editions = @{
    'BEED1F75-C398-4447-AEF1-E66E1F0DF91E' = 'foundation'
    '9FF54EBC-8C12-47D7-854F-3865D4BE8118' = 'foundation'
    '3FDFBCC8-B3E4-4482-91FA-122C6432805C' = 'standard'
    'C5D855EE-F32B-4A1C-97A8-F0A28CE02F9C' = 'standard'
    '4F593424-7178-467A-B612-D02D85C56940' = 'standard'
    'D5595F62-449B-4061-B0B2-0CBAD410BB51' = 'enterprise'
    'B7D84C2B-0754-49E4-B7BE-7EE321DCE0A9' = 'enterprise'
    '716578D2-2029-4FF2-8053-637391A7E683' = 'enterprise'
}

function Get-Edition($Farm) {
    # From the Subscription Edition on, the build identifies the product.
    if ($Farm.BuildVersion.Major -eq 16 -and $Farm.BuildVersion.Build -ge 14000) { return 'subscription' }
    $found = @($Farm.Products | ForEach-Object { $editions["$_".ToUpperInvariant()] } | Where-Object { $_ })
    # A server edition counts Foundation among its products.
    foreach ($edition in 'enterprise', 'standard', 'foundation') {
        if ($found -contains $edition) { return $edition }
    }
    $null
}

# The highest build among the products installed on a server.
function Get-InstalledBuild($Versions, $Server) {
    $info = $Versions.GetServerProductInfo($Server.Id)
    $builds = foreach ($product in $info.Products) {
        $single = $info.GetSingleProductInfo($product)
        foreach ($name in $single.PatchableUnitDisplayNames) {
            foreach ($unit in $single.GetPatchableUnitInfoByDisplayName($name)) {
                if ($unit.LatestPatch -and $unit.LatestPatch.Version) { [version]$unit.LatestPatch.Version }
            }
        }
    }
    $highest = $builds | Sort-Object -Descending | Select-Object -First 1
    if ($highest) { "$highest" } else { $null }
}

$farm = Get-SPFarm
$versions = Read-Fact 'The table of patches' { [Microsoft.SharePoint.Administration.SPProductVersions]::GetProductVersions($farm) }
$instances = Read-Fact 'Services' { As-List (Get-SPServiceInstance -All) }

# Database and mail servers have the role Invalid: SharePoint does not run on them.
$servers = foreach ($server in (Get-SPServer | Where-Object { "$($_.Role)" -ne 'Invalid' })) {
    $services = $null
    if ($null -ne $instances) {
        $services = As-List ($instances | Where-Object { $_.Server -and $_.Server.Id -eq $server.Id } | ForEach-Object {
            [ordered]@{ type = $_.GetType().FullName; name = "$($_.TypeName)"; status = "$($_.Status)" }
        })
    }
    $build = $null
    if ($null -ne $versions) { $build = Read-Fact "The build of $($server.Name)" { Get-InstalledBuild $versions $server } }
    [ordered]@{ name = "$($server.Address)"; role = "$($server.Role)"; build = $build; services = $services }
}

$applications = Read-Fact 'Service applications' {
    As-List (Get-SPServiceApplication | ForEach-Object {
        [ordered]@{ name = "$($_.DisplayName)"; type = $_.GetType().FullName; status = "$($_.Status)" }
    })
}

# Names of accounts and their purposes; a managed account's password is never read.
$accounts = Read-Fact 'Accounts' {
    $uses = @{}
    function Add-Use([string]$Account, [string]$Use) {
        if (-not $Account) { return }
        if (-not $uses.ContainsKey($Account)) { $uses[$Account] = @() }
        if ($uses[$Account] -notcontains $Use) { $uses[$Account] += $Use }
    }
    Get-SPManagedAccount | ForEach-Object { Add-Use $_.UserName 'managed account' }
    Add-Use $farm.DefaultServiceAccount.Name 'farm'
    Get-SPServiceApplicationPool | ForEach-Object { Add-Use $_.ProcessAccountName "service application pool $($_.Name)" }
    Get-SPWebApplication -IncludeCentralAdministration | ForEach-Object {
        Add-Use $_.ApplicationPool.Username "web application pool $($_.ApplicationPool.Name)"
    }
    As-List ($uses.Keys | Sort-Object | ForEach-Object { [ordered]@{ name = $_; uses = As-List $uses[$_] } })
}

$zones = Read-Fact 'Addresses' {
    $found = foreach ($application in Get-SPWebApplication -IncludeCentralAdministration) {
        foreach ($address in Get-SPAlternateURL -WebApplication $application) {
            $ways = @()
            $settings = $application.GetIisSettingsWithFallback($address.UrlZone)
            if ($settings.UseWindowsIntegratedAuthentication) {
                if ($settings.DisableKerberos) { $ways += 'ntlm' } else { $ways += 'kerberos' }
            }
            if ($settings.UseBasicAuthentication) { $ways += 'basic' }
            if ($settings.AllowAnonymous) { $ways += 'anonymous' }
            if ($settings.UseFormsClaimsAuthenticationProvider) { $ways += 'forms' }
            if ($settings.UseTrustedClaimsAuthenticationProvider) { $ways += 'trusted' }
            [ordered]@{
                url = "$($address.IncomingUrl)"; webApplication = "$($application.DisplayName)"
                zone = "$($address.UrlZone)"; authentication = As-List $ways
            }
        }
    }
    As-List $found
}

$facts = [ordered]@{
    schema = 'fastctl.farm/1'
    takenAt = [DateTime]::UtcNow.ToString('yyyy-MM-ddTHH:mm:ssZ')
    edition = Read-Fact 'The edition' { Get-Edition $farm }
    build = "$($farm.BuildVersion)"
    servers = As-List $servers
    serviceApplications = $applications
    accounts = $accounts
    zones = $zones
}

# UTF-8 without a byte-order mark, regardless of the version of PowerShell.
[IO.File]::WriteAllText($file, (ConvertTo-Json -InputObject $facts -Depth 8), (New-Object System.Text.UTF8Encoding $false))
Write-Output "$file written: $(@($servers).Count) server(s). Nothing on the farm was changed."
