# Cmdlets for PowerShell 5.1 and 7 that call fastctl, and turn its JSON into objects. Not tested in PowerShell.
#
#   Import-Module .\fastctl.psm1
#   Get-Content ids.txt | Remove-ContentItem -Collection web -WhatIf
#   Get-ULSDiagnosis C:\ULS | Where-Object severity -eq error | Format-List title, message
#
# On Windows, fastctl runs in WSL; for a container, set the words of the command:
#   Set-FastctlCommand docker, run, --rm, -i, -v, 'C:\ULS:/logs:ro', fastctl

Set-StrictMode -Version 2.0
$script:Words = if ($env:OS -eq 'Windows_NT') { 'wsl.exe', '--', 'fastctl' } else { , 'fastctl' }

# Runs fastctl with lines as its standard input, and returns its output; its messages become verbose messages or errors.
function Invoke-Fastctl([string[]]$Arguments, [string[]]$Lines = @()) {
    $program = $script:Words[0]
    $before = @($script:Words | Select-Object -Skip 1)
    $OutputEncoding = [Console]::OutputEncoding = New-Object System.Text.UTF8Encoding $false
    $output = @()
    $messages = @()
    $Lines | & $program @before @Arguments 2>&1 | ForEach-Object {
        if ($_ -is [System.Management.Automation.ErrorRecord]) { $messages += "$_" } else { $output += "$_" }
    }
    $code = $LASTEXITCODE
    $messages | Where-Object { $_ } | ForEach-Object { Write-Verbose $_ }
    # 0 and 1 come with a complete report; after any other code, the run is incomplete or did not take place.
    if ($code -gt 1) { Write-Error "fastctl ended with exit code $code. $($messages -join ' ')" }
    $output
}

<#
.SYNOPSIS
Sets the words of the command that runs fastctl.
#>
function Set-FastctlCommand {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([Parameter(Mandatory = $true)][string[]]$Words)
    if ($PSCmdlet.ShouldProcess($Words -join ' ')) { $script:Words = $Words }
}

<#
.SYNOPSIS
Removes documents from a collection by their IDs, and returns an object for each outcome.

.DESCRIPTION
With -WhatIf, nothing is removed: the objects show the effect that a removal would have now. The last object is the report.

.PARAMETER MaximumCount
The removal is refused as a whole if there are more IDs than this; also a percentage of the collection, such as 5%.

.EXAMPLE
Get-Content ids.txt | Remove-ContentItem -Collection web -MaximumCount 100 | Where-Object outcome -ne removed
#>
function Remove-ContentItem {
    [CmdletBinding(SupportsShouldProcess = $true, ConfirmImpact = 'High')]
    param(
        [Parameter(Mandatory = $true)][string]$Collection,
        [Parameter(Mandatory = $true, ValueFromPipeline = $true)][Alias('ItemId')][string[]]$ID,
        [string]$MaximumCount,
        [string]$Context
    )
    begin { $items = New-Object System.Collections.Generic.List[string] }
    process { foreach ($item in $ID) { $items.Add((ConvertTo-Json -Compress @{ remove = $item })) } }
    end {
        # One run for all IDs, so that they have one report, and one guard.
        $arguments = 'remove', '--collection', $Collection, '--format', 'jsonl', '-o', 'ndjson'
        if ($Context) { $arguments += '--context', $Context }
        if ($WhatIfPreference) { $arguments += '--dry-run=server' }
        elseif (-not $PSCmdlet.ShouldProcess($Collection, "Remove $($items.Count) documents")) { return }
        elseif ($MaximumCount) { $arguments += '--max-remove', $MaximumCount }
        Invoke-Fastctl $arguments $items | ConvertFrom-Json
    }
}

<#
.SYNOPSIS
Diagnoses SharePoint's ULS logs, and returns an object for each finding.

.PARAMETER Path
Logs or folders of logs, as this machine names them.

.PARAMETER Since
The start of the rows to read: a time, or an age such as 2h.
#>
function Get-ULSDiagnosis {
    [CmdletBinding()]
    param(
        [Parameter(Mandatory = $true, ValueFromPipeline = $true)][string[]]$Path,
        [string]$Since,
        [string[]]$WebConfig = @()
    )
    begin { $paths = New-Object System.Collections.Generic.List[string] }
    process { foreach ($item in $Path) { $paths.Add((ConvertTo-FastctlPath $item)) } }
    end {
        $arguments = 'diagnose', '-o', 'json'
        if ($Since) { $arguments += '--since', $Since }
        foreach ($file in $WebConfig) { $arguments += '--web-config', (ConvertTo-FastctlPath $file) }
        $report = Invoke-Fastctl ($arguments + '--' + $paths) | ConvertFrom-Json
        if ($report) { $report.findings }
    }
}

# Returns C:\ULS as /mnt/c/ULS for WSL; any other path, and any path for another command, as it is.
function ConvertTo-FastctlPath([string]$Path) {
    if ($script:Words[0] -notlike 'wsl*' -or $Path -notmatch '^([A-Za-z]):[\\/](.*)$') { return $Path }
    '/mnt/' + $Matches[1].ToLower() + '/' + $Matches[2].Replace('\', '/')
}

Export-ModuleMember -Function Remove-ContentItem, Get-ULSDiagnosis, Set-FastctlCommand
