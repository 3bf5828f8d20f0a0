// swift-format-ignore-file
// Written by Scripts/embed-rules: change the files in Rules/Components, then "make rules".

/// The texts of Rules/Components, without the comments.
enum BuiltInComponents {
    static let texts: [StaticString] = [
        ##"""

@servers = Which servers need an upgrade; their builds are in Central Administration, Manage servers and patch status :: Get-SPServer | Where-Object Role -ne Invalid | Select-Object Name, Role, Status, NeedsUpgrade
@product = What is installed, and what is missing where :: Get-SPProduct
@instances = The service is Online where it should run :: Get-SPServiceInstance | Sort-Object TypeName | Select-Object Server, TypeName, Status
@applications = The service application and its pool :: Get-SPServiceApplication | Select-Object DisplayName, TypeName, Status, ApplicationPool
@proxies = The proxy is there and in the web application's group :: Get-SPServiceApplicationProxyGroup | Select-Object FriendlyName, Proxies
@pools = Which accounts the pools of services run as :: Get-SPServiceApplicationPool | Select-Object Name, ProcessAccountName
@iispools = The application pools of IIS are started; before Windows Server 2016, see IIS Manager :: Get-IISAppPool | Select-Object Name, State
@databases = The databases exist and answer :: Get-SPDatabase | Select-Object Name, Server, Exists, NeedsUpgrade
@content = The content databases and their states :: Get-SPContentDatabase | Select-Object Name, Server, Status, NeedsUpgrade
@accounts = Managed accounts and when their passwords change :: Get-SPManagedAccount | Select-Object UserName, AutomaticChange, PasswordExpiration
@rights = The user rights of the account, in a prompt that runs as it :: whoami /priv
@groups = The local groups of SharePoint on this server :: Get-LocalGroupMember -Group WSS_WPG
@machine = The certificates of the machine, their dates and keys :: Get-ChildItem Cert:\LocalMachine\My | Select-Object Subject, NotAfter, HasPrivateKey
@roots = What SharePoint trusts :: Get-SPTrustedRootAuthority | Select-Object Name, Certificate
@proxy = The proxy of WinHTTP; .NET code has its own, system.net/defaultProxy in web.config or machine.config :: netsh winhttp show proxy
@name = The name resolves here :: Resolve-DnsName HOST
@port = The port answers from this server :: Test-NetConnection HOST -Port 443
@sqlport = SQL Server answers from this server; an alias has a port of its own :: Test-NetConnection SQLSERVER -Port 1433
@clock = Where the clock takes its time from, and when it last did :: w32tm /query /status
@domain = A domain controller is found :: nltest /dsgetdc:DOMAIN
@channel = The state of the server's secure channel to the domain :: nltest /sc_query:DOMAIN
@spn = To which account the service principal name belongs :: setspn -Q HTTP/HOST
@doubles = Service principal names that two accounts have :: setspn -X
@tickets = The Kerberos tickets of the session :: klist
@solutions = Solutions and where they are deployed :: Get-SPSolution | Select-Object Name, Deployed, DeployedServers, LastOperationResult
@jobs = When timer jobs last ran, and which are disabled :: Get-SPTimerJob | Sort-Object LastRunTime | Select-Object Name, LastRunTime, IsDisabled
@timer = The timer service runs :: Get-Service SPTimerV4
@urls = The addresses of the web applications and their zones :: Get-SPAlternateURL
@claims = The claim providers and whether they are enabled :: Get-SPClaimProvider | Select-Object DisplayName, IsEnabled, IsVisible, AssemblyName
@issuer = The trusted identity provider, its realm, claims and certificate :: Get-SPTrustedIdentityTokenIssuer
@token = Who may send tokens for apps and servers :: Get-SPTrustedSecurityTokenIssuer | Select-Object Name, RegisteredIssuerName, NameId
@realm = The realm of the farm :: Get-SPAuthenticationRealm
@space = Free space of the drives :: Get-PSDrive -PSProvider FileSystem
@memory = Free memory of the server, in KB :: Get-CimInstance Win32_OperatingSystem | Select-Object FreePhysicalMemory, FreeVirtualMemory
@rows = The same request from its beginning :: fastctl logs trace CORRELATION LOGS
@levels = Trace levels that differ from the defaults :: Get-SPLogLevel
@site = The site, its owner, lock and database :: Get-SPSite URL | Select-Object Url, Owner, ReadOnly, ReadLocked, ContentDatabase
@health = What the farm's own checks of the site say :: Test-SPSite URL

[claims] Claims: encoding and providers
does: turns what is known of a user into claims, encodes them, and asks providers for names in the people picker
needs: a token of the user; claim providers that load; the right "Impersonate a client after authentication" for IIS_IUSRS; no FIPS policy
namespace: Microsoft.SharePoint.Administration.Claims
category: claims authentication, claims providers
check: @claims
check: How the zones of the web application sign users in :: Get-SPAuthenticationProvider -WebApplication URL -Zone Default
check: Whether the FIPS policy is on: 1 breaks SharePoint :: reg query HKLM\SYSTEM\CurrentControlSet\Control\Lsa\FipsAlgorithmPolicy /v Enabled

[sign-in] Sign-in and tokens: Security Token Service
does: gives out and checks the tokens of users, services and apps
needs: the pool SecurityTokenServiceApplicationPool; free memory; its signing certificate, not expired; trusted issuers; a right clock
namespace: Microsoft.SharePoint.IdentityModel, Microsoft.IdentityModel, System.IdentityModel
category: authentication authorization, security token, token service
text: SecurityTokenServiceApplicationPool, SecurityTokenService, trusted login provider, issuer of the token, security token, Failed to validate signature
check: How the token service is set up, with its signing certificate :: Get-SPSecurityTokenServiceConfig
check: @issuer
check: @iispools

[c2wts] Claims to Windows Token Service
does: turns the claims of a user into a Windows token, for services that sign in elsewhere as that user
needs: users who sign in with Windows claims; the Windows service c2wts on the same server; its account's right "Act as part of the operating system"; callers listed in c2wtshost.exe.config; constrained delegation with any protocol
namespace: Microsoft.IdentityModel.WindowsTokenService
text: c2wts, Claims to Windows Token, WTS0003, net.pipe://localhost/s4u
check: The service runs, and under which account :: Get-CimInstance Win32_Service -Filter "Name='c2wts'"
check: @instances
check: To which services its account may delegate (Active Directory module) :: Get-ADUser ACCOUNT -Properties msDS-AllowedToDelegateTo, TrustedToAuthForDelegation | Select-Object msDS-AllowedToDelegateTo, TrustedToAuthForDelegation

[windows-token-cache] Windows token cache of the Security Token Service
does: keeps the Windows tokens of users who signed in through Windows claims, and hands them to the processes of the server (SecurityTokenServiceApplication/WindowsTokenCache.svc)
needs: the token service on this server, with its pool and port 32844; a user who signed in through Windows claims and whose token is still kept
namespace: Microsoft.SharePoint.Administration.Claims.SPWindowsTokenCache, Microsoft.SharePoint.Administration.Claims.ISPWindowsTokenCache
text: WindowsTokenCache.svc, SPWindowsTokenCacheService, ISPWindowsTokenCacheService, windows token cache
check: Whether the request went on without the token, and who asked for it :: fastctl logs trace CORRELATION LOGS
check: Whether the zone signs users in through Windows claims :: Get-SPAuthenticationProvider -WebApplication URL -Zone Default
check: @iispools

[forms] Sign-in with forms and membership providers
does: asks a membership provider for users and roles
needs: the same provider in web.config of the web application, of Central Administration and of the token service; its directory or database
namespace: Microsoft.Office.Server.Security.LdapMembership, Microsoft.Office.Server.Security.LdapRoleProvider, System.Web.Security, Microsoft.SharePoint.IdentityModel.SPSecurityTokenService.SPRequestInfo.ValidateFormsAuthProviderNames
text: LdapMembershipProvider, membership provider
check: How the zone signs users in, with the provider's name :: Get-SPAuthenticationProvider -WebApplication URL -Zone Default
check: The address of the request is one of the web application's, so that its zone is known :: Get-SPAlternateURL
check: The same provider in all web.config files, also those of Central Administration and of the token service :: Get-ChildItem C:\inetpub\wwwroot\wss\VirtualDirectories\*\web.config, 'C:\Program Files\Common Files\microsoft shared\Web Server Extensions\*\WebServices\SecurityToken\web.config' | Select-String PROVIDER

[ldapcp] Third-party claim provider: LDAPCP, AzureCP, EntraCP
does: looks users and groups up in a directory for the people picker and adds groups at sign-in
needs: its solution on all servers; its directory or Microsoft Graph from every server; its credentials
namespace: ldapcp, azurecp, entracp, Yvand
category: ldapcp, azurecp, entracp
text: LDAPCP, AzureCP, EntraCP
check: @claims
check: @solutions
check: Microsoft Graph answers from this server, if it is asked :: Test-NetConnection graph.microsoft.com -Port 443

[cloud-claims] Third-party claim provider, at its token for Microsoft Entra ID
does: signs in to the tenant as an application, then asks Microsoft Graph for users and groups
needs: outgoing HTTPS from every server, through the proxy of .NET too; TLS 1.2; the ID, and a secret or certificate, of the application
text: Unable to get access token for tenant, Could not get access token before timeout, getting access token for tenant
check: The sign-in address answers from this server :: Test-NetConnection login.microsoftonline.com -Port 443
check: @proxy
check: Whether .NET uses strong cryptography, and so TLS 1.2 :: reg query HKLM\SOFTWARE\Microsoft\.NETFramework\v4.0.30319 /v SchUseStrongCrypto

[adal] Tokens of Microsoft Entra ID
does: fetches tokens for calls to Microsoft 365
needs: outgoing HTTPS; TLS 1.2; the private key of the certificate; a right clock
namespace: Microsoft.IdentityModel.Clients.ActiveDirectory, Microsoft.Identity.Client
text: login.microsoftonline.com, login.windows.net, accounts.accesscontrol.windows.net, LogMsalError, MsalServiceException
check: The sign-in address answers from this server :: Test-NetConnection login.microsoftonline.com -Port 443
check: @proxy
check: @machine

[graph] Calls to Microsoft Graph
does: asks Microsoft 365 for users, groups and settings
needs: outgoing HTTPS; an app registration with valid secret or certificate; trusted roots
namespace: Microsoft.Graph
text: graph.microsoft.com
check: The address answers from this server :: Test-NetConnection graph.microsoft.com -Port 443
check: @proxy
check: @roots

[app-auth] Sign-in of add-ins and of other servers (OAuth)
does: checks tokens of add-ins and of trusted servers, and finds out on whose behalf they call
needs: https; the app principal; the realm; App Management and Subscription Settings services; the trusted issuer; a profile of the user, for whom another server calls
namespace: Microsoft.SharePoint.SPAppRequestContext, Microsoft.SharePoint.SPAppPrincipal, Microsoft.SharePoint.IdentityModel.OAuth2
category: application authentication, app auth
text: SPAppPrincipal, app principal
check: @token
check: @realm
check: @applications

[app-management] App Management service
does: keeps app licences, principals and their addresses
needs: App Management and Subscription Settings service applications with proxies; the app domain, with a wildcard in DNS; its database
namespace: Microsoft.SharePoint.AppManagement
category: app management, app deployment, app hosting
text: App manifest
check: The app domain :: Get-SPAppDomain
check: @applications
check: @instances

[subscription] Subscription Settings service
does: keeps settings per tenant, which add-ins need even in a farm with one
needs: its service application, proxy and database
namespace: Microsoft.SharePoint.SPSiteSubscription, Microsoft.SharePoint.SPSubscriptionSettings
text: SubscriptionSettings, Subscription Settings
check: The prefix of app addresses, which is kept there :: Get-SPAppSiteSubscriptionName
check: @applications
check: @proxies

[people-picker] People picker and name resolution
does: finds users and groups in the directory and resolves what was typed
needs: domain controllers of every trusted forest; short domain names that resolve; rights to read; an account and password for one-way trusts, with the key that stsadm setapppassword sets on each server
namespace: Microsoft.SharePoint.WebControls.PeopleEditor, Microsoft.SharePoint.Utilities.SPUserUtility, Microsoft.SharePoint.Utilities.SPActiveDirectory, Microsoft.SharePoint.Utilities.SPUtility.ResolvePrincipal, Microsoft.SharePoint.Utilities.SPUtility.SearchPrincipal, Microsoft.SharePoint.ApplicationPages.ClientPickerQuery, Microsoft.SharePoint.WebControls.ClientPeoplePicker
text: peoplepicker, people picker, Error in resolving user, Error in searching user, Unable to get domain DNS, SPActiveDirectoryPrincipalResolver, GetUserInfoFromMembershipProvider, ensureUserExistsInternal2, User key value from token
check: What the people picker of a web application is set to, its filters too: whom they leave out it does not find :: Get-SPWebApplication URL | Select-Object -ExpandProperty PeoplePickerSettings
check: @domain
check: Global catalogs answer :: Test-NetConnection DC -Port 3268

[directory] Directory of the domain (LDAP)
does: answers questions about users, groups and domains
needs: a domain controller; an account that may ask; ports 389, 636, 3268; a certificate for LDAPS
namespace: System.DirectoryServices, Microsoft.SharePoint.Win32.SPNetApi32
check: @domain
check: The directory answers from this server :: Test-NetConnection DC -Port 389
check: @channel

[names] Accounts and their SIDs
does: translates names of accounts into SIDs and back
needs: the account in the directory; a domain that can be asked
namespace: System.Security.Principal.NTAccount, System.Security.Principal.SecurityIdentifier, System.Security.Principal.IdentityNotMappedException
check: @domain
check: @channel
check: The users of the site as SharePoint knows them :: Get-SPUser -Web URL

[group-tokens] Groups of a user, asked from Active Directory
does: finds out which Windows groups a user is in, without the user's password
needs: the right to read tokenGroupsGlobalAndUniversal of users, which two groups of each domain have; a domain controller
text: AuthzInitializeContextFromSid, tokenGroupsGlobalAndUniversal
denied: The account of the process (of search, of a pool) may not read tokenGroupsGlobalAndUniversal of the user: in the user's domain it is neither in Windows Authorization Access Group nor in Pre-Windows 2000 Compatible Access.
check: Who may read the groups of users :: Get-ADGroupMember 'Windows Authorization Access Group'
check: Who may by the older group :: Get-ADGroupMember 'Pre-Windows 2000 Compatible Access'
check: @domain

[managed-accounts] Managed accounts
does: keeps the passwords of service accounts, changes them on schedule and hands them to services
needs: a domain controller; the same password in the directory; a policy of the domain that lets it change: minimum age, length, history
namespace: Microsoft.SharePoint.Administration.SPManagedAccount, Microsoft.SharePoint.Win32.SPNetApi32.NetUserChangePassword, Microsoft.SharePoint.ApplicationPages.ManageAccountPage
text: managed account, NetUserChangePassword, as currently stored in SharePoint
check: @accounts
check: @domain
check: Whether the account is locked or its password has expired :: net user ACCOUNT /domain

[distributed-cache] Distributed Cache (AppFabric)
does: keeps logon tokens, newsfeeds, view states and security trimming in memory, across servers
needs: the cache service on its hosts; TCP 22233 to 22236 and ping between them; a cluster configuration that fits; memory
namespace: Microsoft.SharePoint.DistributedCaching, Microsoft.ApplicationServer.Caching
category: distributedcache, distributed cache
text: Distributed Logon Token Cache, DataCacheFactory, DataCacheException, DistributedLogonTokenCache, No cache hosts are present, ErrorCode<ERRC, ERRCAdmin, ERRCC
process: distributedcacheservice
check: @instances
check: The cache port of a host answers :: Test-NetConnection CACHEHOST -Port 22233
check: The Windows service on each host (SPCache in the Subscription Edition) :: Get-Service AppFabricCachingService, SPCache -ErrorAction SilentlyContinue

[session-state] ASP.NET session state
does: keeps sessions of ASP.NET in a database, for Access Services, reports and custom code
needs: SharePoint Server ASP.NET Session State Service enabled; its database
namespace: Microsoft.Office.Server.Administration.SessionState, System.Web.SessionState
category: session state
text: Session state
check: Whether it is enabled, and its database :: Get-SPSessionStateService
check: @databases
check: @sqlport

[state-service] State Service
does: keeps what forms, charts and workflows need between two requests
needs: its service application, proxy and database
namespace: Microsoft.Office.Server.StateService
category: state service
text: State Service
check: Its service applications :: Get-SPStateServiceApplication
check: Its databases :: Get-SPStateServiceDatabase
check: @proxies

[sql] SQL Server
does: holds all databases of the farm
needs: the server or alias, its port and firewall; the login of the process account and its user in the database; space on its disks
generic: yes
namespace: System.Data.SqlClient, Microsoft.Data.SqlClient, Microsoft.SharePoint.Utilities.SqlSession, Microsoft.Office.Server.Data.SqlSession, Microsoft.SharePoint.SPSqlClient, System.Data.OleDb, System.Data.Odbc
category: database
text: SqlException, SQL Server error, instance of SQL Server
check: @databases
check: @sqlport
check: The aliases of this server :: reg query HKLM\SOFTWARE\Microsoft\MSSQLServer\Client\ConnectTo

[sql-maxdop] SQL Server: max degree of parallelism of the instance
does: SharePoint creates no databases on an instance that uses several processors for one query
needs: max degree of parallelism 1 on the instance, or an account that may set it
text: max degree of parallelism
check: Which instance this server means by its name :: reg query HKLM\SOFTWARE\Microsoft\MSSQLServer\Client\ConnectTo
check: @sqlport
check: @databases

[content-database] Content databases
does: hold sites, lists and files
needs: SQL Server; a schema that fits the build; the process account as SPDataAccess
namespace: Microsoft.SharePoint.Administration.SPContentDatabase, Microsoft.SharePoint.Administration.SPDatabase
text: the content database, content databases, content database ', content database with, content database upgrade
check: @content
check: Missing features, templates and assemblies, per database :: Test-SPContentDatabase -Name DATABASE -WebApplication URL
check: @site

[farm] Farm configuration
does: keeps the farm's objects in the configuration database and a copy of them on each server
needs: the configuration database; the cache folder on each server; the timer service
generic: yes
namespace: Microsoft.SharePoint.Administration
category: configuration, topology
text: SPPersistedObject, configuration cache, configuration database, The farm is unavailable, acquire the local farm
check: The farm answers from this server, with its build :: Get-SPFarm | Select-Object Name, Status, BuildVersion
check: @databases
check: @timer

[farm-writes] Writes to the farm's configuration
does: lets nobody but farm administrators change the farm's objects, and pages of other web applications than Central Administration not even for them
needs: an account that is a farm administrator; code that does it in Central Administration, in the timer service or in the console
text: not a Farm Administrator
denied: The account that changes an object of the farm is no farm administrator: often the application pool of a web application, whose page or feature does what only Central Administration, a timer job or the console may do.
check: The accounts of the application pools :: Get-SPWebApplication -IncludeCentralAdministration | Select-Object Url, @{n='Account'; e={$_.ApplicationPool.Username}}
check: The farm administrators :: Get-SPWebApplication -IncludeCentralAdministration | Where-Object IsAdministrationWebApplication | Select-Object -ExpandProperty Sites | Select-Object -ExpandProperty RootWeb | Select-Object -ExpandProperty SiteGroups | Select-Object Name, Users
check: Solutions whose code may do it :: Get-SPSolution | Select-Object Name, Deployed, DeployedServers, LastOperationResult

[persisted] Objects in the configuration database
does: reads and writes the farm's objects, and refuses a write that began from an old copy
needs: the configuration database; a cache folder on each server that follows it
namespace: Microsoft.SharePoint.Administration.SPPersistedObject, Microsoft.SharePoint.Administration.SPConfigurationDatabase, Microsoft.SharePoint.Administration.SPPersistedUpgradableObject
text: update conflict, SPUpdatedConcurrencyException, ConcurrencyException
check: The timer service runs on all servers, which keeps the copies fresh :: Get-SPServiceInstance | Where-Object TypeName -like '*Timer*' | Select-Object Server, Status
check: When the cache folder of this server last changed :: Get-ChildItem C:\ProgramData\Microsoft\SharePoint\Config
check: @databases

[persisted-twice] Objects in the configuration database: one that is there already
does: refuses a second object of one name below one parent, such as a one-time job that still waits to run
needs: the first object done or removed
namespace: Microsoft.SharePoint.Administration.SPDuplicateObjectException
text: already exists under the parent
check: One-time jobs that wait or are stuck, where the object is a job :: Get-SPTimerJob | Where-Object Name -like 'job-*' | Select-Object Name, Server, Status, LastRunTime, Schedule
check: @timer
check: The timer service instances that are Online :: Get-SPServiceInstance | Where-Object TypeName -like '*Timer*' | Select-Object Server, Status

[timer-jobs] Timer service and its jobs
does: runs the jobs of the farm in OWSTIMER.EXE
needs: the service SPTimerV4 on each server; the farm account and its password; the databases; a configuration cache that is not stale
generic: yes
namespace: Microsoft.SharePoint.Administration.SPTimer, Microsoft.SharePoint.Administration.SPJob, Microsoft.SharePoint.Administration.SPServiceJob, Microsoft.SharePoint.Administration.SPPausableJob
category: timer
text: timer job, job definition, SPTimerV4
process: owstimer
check: @timer
check: @jobs
check: The Online timer service instances :: Get-SPServiceInstance | Where-Object TypeName -like '*Timer*' | Select-Object Server, Status

[admin-service] SharePoint Administration service
does: does on each server what needs an administrator: pools, certificates, deployments
needs: the Windows service SPAdminV4 as Local System
namespace: Microsoft.SharePoint.Administration.SPAdministrationService, Microsoft.Office.Server.Administration.ApplicationServerAdministrationServiceJob, Microsoft.Office.Server.Administration.ApplicationServerJob
text: SPAdminV4, Application Server Administration Service, This operation uses the SharePoint Administration service
process: wssadmin
check: The service runs :: Get-Service SPAdminV4
check: The jobs that work through it, and when they last ran :: Get-SPTimerJob | Where-Object Name -like 'job-application-server*' | Select-Object Name, LastRunTime, IsDisabled
check: @instances

[usage] Usage and health data
does: collects requests, jobs and health data in files and imports them into the logging database
needs: the usage service application; its database and space; the log folder
namespace: Microsoft.SharePoint.Administration.SPUsage, Microsoft.SharePoint.Diagnostics
category: usage infrastructure
text: WSS_Logging, usage log, usage import
check: The usage service and its folder :: Get-SPUsageService
check: The usage application and its database :: Get-SPUsageApplication
check: @space

[tracing] Tracing service (ULS)
does: writes these logs
needs: the service SPTraceV4; a log folder on every server, which its account (Local Service) may write; space; for another account, membership in Performance Log Users
namespace: Microsoft.SharePoint.Administration.SPDiagnosticsService, Microsoft.Office.Server.Diagnostics.ULS
category: tracing controller service
text: trace log, Trace logs, Tracing Service, Create store file error, Trace Management Service, Log retention limit
process: wsstracing, ulscontroller
check: Folder, limits and days of the logs :: Get-SPDiagnosticConfig
check: Rights on the log folder :: icacls FOLDER
check: The service runs :: Get-Service SPTraceV4

[web-config] web.config of web applications
does: settings of IIS and ASP.NET for each zone, which SharePoint changes by its own jobs
needs: a well-formed file that SharePoint may write; the same changes on all servers
namespace: Microsoft.SharePoint.Administration.SPWebConfigModification, Microsoft.SharePoint.Administration.SPAspConfigurationFile, Microsoft.SharePoint.Administration.SPWebConfigFileChanges
text: web.config, Exception type: ConfigurationErrorsException
check: What is wrong in the files :: fastctl webconfig check FOLDER
check: The changes SharePoint applies :: Get-SPWebApplication URL | Select-Object -ExpandProperty WebConfigModifications
check: @jobs

[dotnet-config] Configuration files of .NET
does: give a web application (web.config) or a program (PROGRAM.exe.config) its settings, which add to those of machine.config
needs: well-formed files that the account of the process may read, without sections that nobody declares; assemblies that they name
namespace: System.Configuration
check: Which files of the program there are, and when they changed :: Get-ChildItem FOLDER\*.config | Select-Object FullName, LastWriteTime
check: When machine.config last changed :: Get-ChildItem C:\Windows\Microsoft.NET\Framework*\v*\CONFIG\machine.config | Select-Object FullName, LastWriteTime
check: If a web application is meant: what is wrong in its files :: fastctl webconfig check FOLDER

[program-config] Configuration of a .NET program
does: gives a program its settings, from PROGRAM.exe.config beside it, if there is one, and from machine.config
needs: well-formed files that the account of the process may read; the sections that the libraries of the program ask for
namespace: System.Configuration.ClientConfig
check: Whether the program has a file of its own :: Get-Item PROGRAM.exe.config -ErrorAction SilentlyContinue
check: When machine.config last changed :: Get-ChildItem C:\Windows\Microsoft.NET\Framework*\v*\CONFIG\machine.config | Select-Object FullName, LastWriteTime
check: Which updates of Windows and .NET came last :: Get-HotFix | Sort-Object InstalledOn | Select-Object -Last 10 HotFixID, InstalledOn

[solutions] Solutions and features
does: deploys packages with code, features and pages on all servers
needs: the timer and administration services on each server; assemblies of the same version everywhere
namespace: Microsoft.SharePoint.Administration.SPSolution, Microsoft.SharePoint.Administration.SPFeature, Microsoft.SharePoint.SPFeature, Microsoft.SharePoint.Administration.SPElement, Microsoft.SharePoint.Administration.SPUserSolution
category: feature infrastructure, solution deployment
text: feature receiver, FeatureActivated, .wsp, Feature Activation: Activating Feature, SPSolutionDeploymentJobDefinition
check: @solutions
check: Features of a site, by ID :: Get-SPFeature -Site URL
check: @jobs

[feature-receivers] Code of a feature (its receiver)
does: runs when a feature is activated, upgraded or removed, in the process that does it: often the timer service
needs: the assembly and the class that the feature names, in the version that the process has loaded
text: receiver object from assembly, Failed to load receiver assembly
check: When the timer service began, against the day of the deployment: it keeps the assemblies that it has loaded until it restarts :: Get-Process OWSTIMER | Select-Object StartTime
check: @solutions
check: The feature and the assembly that it names :: Get-SPFeature NAME | Select-Object DisplayName, ReceiverAssembly, ReceiverClass

[event-receivers] Event receivers
does: run code when items, lists, sites or mails come, change or go
needs: the receiver's assembly on every server that runs it, the timer service's too
namespace: Microsoft.SharePoint.SPEventManager, Microsoft.SharePoint.SPEventReceiver, Microsoft.SharePoint.SPItemEventReceiver, Microsoft.SharePoint.SPEventHostReceiver
text: event receiver, EventReceiver
check: @solutions
check: The receivers of a list :: Get-SPWeb URL | Select-Object -ExpandProperty Lists | Where-Object Title -eq LIST | Select-Object -ExpandProperty EventReceivers
check: @servers

[upgrade] Upgrade of databases and sites
does: brings databases, sites and features to the build of the binaries
needs: the same build on all servers; rights of the account in each database; features and assemblies that the sites refer to; space for the transaction log
namespace: Microsoft.SharePoint.Upgrade, Microsoft.SharePoint.Administration.SPUpgrade, Microsoft.Office.Server.Upgrade
category: upgrade, setup and upgrade, spcontentdatabasesequence, spconfigurationdatabasesequence, spfarmsequence, spserversequence, spsitesequence, spsitewsssequence, spwebsequence, spwebwsssequence, spiiswebsitesequence, spiiswebsitewsssequence, spupgradesession
text: upgrade session, upgrade timer job, database schema version, schema version of the database
check: @content
check: What is missing, per database :: Test-SPContentDatabase -Name DATABASE -WebApplication URL
check: @product

[upgrade-missing] What sites of a database refer to and the farm lacks
does: is found by Test-SPContentDatabase and by upgrades: web parts, features, files and assemblies
needs: the solution that has them, in the version of the farm, or pages without them
text: MissingWebPart, MissingFeature, MissingSetupFile, MissingAssembly, MissingSiteDefinition, is not installed on the current farm, are not installed on the current farm, Found a missing feature
check: The findings, those that block an upgrade first :: Test-SPContentDatabase -Name DATABASE -WebApplication URL | Sort-Object UpgradeBlocking -Descending | Select-Object Category, Message
check: @solutions
check: Whether the assembly and its SafeControl are in web.config :: fastctl webconfig check FOLDER

[upgrade-build] Builds of a database and of a server
does: the server refuses a database that is older or newer than its binaries allow
needs: the same build on all servers; databases that were upgraded
text: compatibility range mismatch, doesn't match the TargetSchema, does not match the TargetSchema
check: The content databases, and which need an upgrade :: Get-SPContentDatabase | Select-Object Name, Server, Status, NeedsUpgrade
check: @servers
check: @product

[iis-config] Configuration of IIS
does: keeps sites, pools and handlers of a server in applicationHost.config, in IIS 6 in its metabase
needs: a local administrator; the file free, unencrypted and not shared with another server; valid XML
namespace: Microsoft.SharePoint.Upgrade.SPIisWebSite, Microsoft.Web.Administration, Microsoft.SharePoint.AdministrationOperation.Metabase, Microsoft.SharePoint.AdministrationOperation.SPProvisioningAssistant, Microsoft.SharePoint.Administration.SPMetabase, Microsoft.SharePoint.Metabase
text: IIS://, applicationHost.config, SPIisWebSiteWssSequence, SPIisWebSiteSequence
check: Rights on it, for the account that upgrades :: icacls C:\Windows\System32\inetsrv\config\applicationHost.config
check: IIS can read it :: Get-IISSite
check: Whether it is shared between servers :: Select-String -Path C:\Windows\System32\inetsrv\config\redirection.config -Pattern enabled

[psconfig] Set-up of the farm (configuration wizard, psconfig or cmdlets)
does: joins servers to the farm, secures folders and registry, installs services and features, starts upgrades
needs: a local administrator with rights in the databases; a way to SQL Server that no firewall blocks for psconfig; free files; the databases
namespace: Microsoft.SharePoint.PostSetupConfiguration
text: psconfig, PSCDiagnostics
process: psconfig
check: @product
check: @sqlport
check: The newest logs of the wizard and of upgrades :: Get-ChildItem 'C:\Program Files\Common Files\microsoft shared\Web Server Extensions\*\LOGS' -Include PSCDiagnostics*, Upgrade* -Recurse

[stsadm] The command stsadm
does: runs administration commands of SharePoint
needs: a server that belongs to a farm; a local administrator with rights in the databases, in an elevated prompt
namespace: Microsoft.SharePoint.StsAdmin
process: stsadm
absent: There is no farm yet, as when setup starts stsadm while it installs SharePoint together with updates (slipstream), where it can be passed over; or an assembly is missing on this server.
check: Which farm this server belongs to; before a farm is made, none :: Get-ItemProperty 'HKLM:\SOFTWARE\Microsoft\Shared Tools\Web Server Extensions\*\Secure\ConfigDB' -ErrorAction SilentlyContinue | Select-Object dsn
check: @product
check: The shell administrators of the configuration database :: Get-SPShellAdmin

[powershell] SharePoint PowerShell
does: runs administration commands
needs: a shell administrator of the databases; a local administrator; the snap-in or module
namespace: Microsoft.SharePoint.PowerShell, System.Management.Automation
category: powershell
process: powershell, pwsh
check: The shell administrators of the configuration database :: Get-SPShellAdmin
check: The shell administrators of a content database :: Get-SPShellAdmin -Database (Get-SPContentDatabase DATABASE)
check: @databases

[pages] Pages and their controls
does: build a page from its master page, layout and controls
needs: the files of the page; safe controls; code that does not throw
generic: yes
namespace: System.Web.UI, System.Web.HttpApplication, Microsoft.SharePoint.ApplicationRuntime, Microsoft.SharePoint.WebControls, Microsoft.SharePoint.ApplicationPages
category: runtime, web controls, asp runtime
check: @rows
check: Whether a page of the site is customized, so that updates of its file do not reach it :: Get-SPWeb URL | Select-Object Url, @{n='Page'; e={$_.GetFile('PAGE').CustomizedPageStatus}}
check: @solutions

[web-parts] Web parts
does: are placed on pages by users and load the code of products and solutions
needs: the assembly; a SafeControl entry in web.config on each server; data that the part can read
namespace: Microsoft.SharePoint.WebPartPages, System.Web.UI.WebControls.WebParts
category: web parts
text: web part, WebPartManager, not registered as safe
check: @solutions
check: Whether the assembly and its SafeControl are in web.config :: fastctl webconfig check FOLDER
check: @rows

[client-web-parts] Client-side web parts (SharePoint Framework)
does: are placed on pages by users and run in the browser, from packages of the app catalog
needs: the app in the site, with its feature active; its package in the app catalog; files at the address that the package names
namespace: Microsoft.SharePoint.ClientSideComponent
text: client side web part, client-side web part, clientsideinstance, SPFx
check: Whether the feature of the app is active in the site :: Get-SPFeature -Web URL | Select-Object DisplayName, Id
check: The apps of the site and their states :: Get-SPAppInstance -Web URL | Select-Object Title, Status
check: @rows

[compilation] Compilation of pages by ASP.NET
does: compiles pages and controls into the temporary folder of the pool's account
needs: the account's TEMP and the Temporary ASP.NET Files folder, readable and writable; the C# compiler
namespace: System.Web.Compilation, System.CodeDom.Compiler
text: Temporary ASP.NET Files, CS0016, error CS0
check: Rights on the folder of compiled pages (v2.0.50727 in 2010) :: icacls "C:\Windows\Microsoft.NET\Framework64\v4.0.30319\Temporary ASP.NET Files"
check: @iispools
check: @space

[view-state] View state and form digest
does: prove that a form that is sent back came from this farm
needs: the same machine key on all servers; a digest that has not expired; a form that arrives whole
namespace: System.Web.UI.ViewState, System.Web.UI.ObjectStateFormatter, System.Web.Configuration.MachineKeySection, System.Web.UI.HiddenFieldPageStatePersister, Microsoft.SharePoint.Utilities.SPUtility.ValidateFormDigest, Microsoft.SharePoint.SPWeb.ValidateFormDigest
text: view state, ViewState, Validation of viewstate MAC, security validation for this page, form digest
check: Whether the machine keys of the servers agree, unless the Machine Key Rotation Job keeps them in the configuration database :: fastctl webconfig check FOLDER
check: How long a page may be open before it is sent back :: Get-SPWebApplication URL | Select-Object FormDigestSettings
check: Whether users stay on one server :: fastctl logs requests LOGS

[lists] Lists and views
does: read and write items, and build views
needs: the content database; indexed columns for large lists; at most 12 lookups in a view (8 in 2010)
namespace: Microsoft.SharePoint.SPList, Microsoft.SharePoint.SPView, Microsoft.SharePoint.SPField, Microsoft.SharePoint.SPQuery, Microsoft.SharePoint.SPSiteDataQuery, Microsoft.SharePoint.SPQueryThrottledException
category: lists, fields
text: list view threshold, SPQueryThrottledException
check: Which lists the site has, and how large they are :: Get-SPWeb URL | Select-Object -ExpandProperty Lists | Sort-Object ItemCount -Descending | Select-Object Title, ItemCount
check: Threshold, lookups and the daily window of the web application :: Get-SPWebApplication URL | Select-Object MaxItemsPerThrottledOperation, MaxQueryLookupFields, DailyStartUnthrottledHour
check: @rows

[content-types] Content types and site columns
does: give items their columns, forms and workflows; child types inherit from their parent
needs: the parent type in the same site or above it, and columns that are there; the features that bring both, in the right order
namespace: Microsoft.SharePoint.SPContentType, Microsoft.SharePoint.SPFieldCollection, Microsoft.SharePoint.SPContentTypeCollection
text: parent content type, content type identifier, site content type, site columns
check: The content types of a site and where they come from :: Get-SPWeb URL | Select-Object -ExpandProperty AvailableContentTypes | Select-Object Name, Id, FeatureId
check: Features of the site, by ID :: Get-SPFeature -Site URL
check: @solutions

[files] Files in document libraries
does: store, check out and lock documents
needs: the content database; a file type that is not blocked; a size below the limit; no lock of somebody else
namespace: Microsoft.SharePoint.SPFile, Microsoft.SharePoint.SPFolder, Microsoft.SharePoint.CoordinatedStreamBuffer
category: file system, cobalt
text: checked out, is locked for shared use
check: The largest upload and blocked file types :: Get-SPWebApplication URL | Select-Object MaximumFileSize, BlockedFileExtensions
check: @content
check: @site

[security] Permissions of users
does: decide what a user may do with a site, list or item
needs: the user or a group in the site; policies of the web application; groups in the user's token
namespace: Microsoft.SharePoint.SPSecurableObject, Microsoft.SharePoint.SPGroup, Microsoft.SharePoint.SPRole, Microsoft.SharePoint.SPUser, Microsoft.SharePoint.Utilities.SPUtility.HandleAccessDenied, Microsoft.SharePoint.SPGlobal.HandleUnauthorizedAccessException
category: group security, permissions
text: Permission check failed
check: The user as the site knows it, with groups :: Get-SPUser -Web URL
check: Policies of the web application :: Get-SPWebApplication URL | Select-Object -ExpandProperty Policies
check: @site

[group-members] Members of a group of a site
does: lists a group's members for mails, forms and code
needs: a group whose members the caller may see; an owner of the group who is in the site
namespace: Microsoft.SharePoint.Library.SPRequestInternalClass.GetUsersDataAsSafeArray, Microsoft.SharePoint.Library.SPRequest.GetUsersDataAsSafeArray
denied: The user may not see the members of the group: only its members or its owner may, or the owner is gone.
check: Who may see the members of each group, and who owns it :: Get-SPWeb URL | Select-Object -ExpandProperty SiteGroups | Select-Object Name, Owner, OnlyAllowMembersViewMembership
check: The users of the site as SharePoint knows them :: Get-SPUser -Web URL
check: @site

[sites] Sites and their creation
does: open, create, move and delete sites
needs: the content database; a managed path; quota and locks; templates of the language
namespace: Microsoft.SharePoint.SPSite, Microsoft.SharePoint.Administration.SPSite, Microsoft.SharePoint.SPWebCollection, Microsoft.SharePoint.SPWebTemplate, Microsoft.SharePoint.Library.SPRequest.CreateSite, Microsoft.SharePoint.Library.SPRequestInternalClass.CreateSite
category: site management, site cache, site creation
check: @site
check: @health
check: Managed paths of the web application :: Get-SPManagedPath -WebApplication URL

[core] SharePoint's core
does: sites, lists, pages and their native code
needs: the content database; rights of the process account
generic: yes
namespace: Microsoft.SharePoint
check: @rows
check: @content
check: @servers

[native] SharePoint's native code (SPRequest)
does: reads and writes the content database; each call of managed code goes through it
needs: the content database; memory; callers that dispose of what they open
generic: yes
namespace: Microsoft.SharePoint.Library.SPRequest, Microsoft.SharePoint.SPRequest
text: SPRequest objects, SPRequest object was not disposed
check: @rows
check: @content
check: @memory

[client] Client API (CSOM, REST)
does: answers client.svc and /_api for add-ins, scripts and Office
needs: a token or sign-in of the caller; permissions; limits of the query
generic: yes
namespace: Microsoft.SharePoint.Client
category: csom, client object model
text: client.svc, /_api/, ProcessQuery
check: @rows
check: @token
check: @realm

[soap] Web services of SharePoint (.asmx)
does: answers the SOAP addresses below _vti_bin
needs: sign-in of the caller; the address in the alternate access mappings
generic: yes
namespace: Microsoft.SharePoint.SoapServer
text: _vti_bin, .asmx
check: @urls
check: @rows
check: @iispools

[addresses] Addresses of web applications
does: translate between what users type, what balancers send and what SharePoint knows
needs: alternate access mappings or host-named sites for each address and scheme; headers that the balancer keeps
namespace: Microsoft.SharePoint.Administration.SPAlternateUrl
text: alternate access mapping, Alternate Access Mapping, AlternateUrl, Cannot find factory type for service
check: @urls
check: Bindings of the sites of IIS :: Get-WebBinding | Select-Object protocol, bindingInformation
check: @name

[wcf] Calls between services (WCF)
does: connects web servers with service applications, over ports 32843 (http), 32844 (https) and 32845 (net.tcp)
needs: the called service's pool and endpoint; free memory; trusted certificates; the claims of the caller
generic: yes
namespace: System.ServiceModel, Microsoft.SharePoint.SPServiceHostOperations, Microsoft.SharePoint.SPRoundRobinServiceLoadBalancer
category: service application, topology service
text: EndpointNotFoundException, no endpoint listening, ServiceActivationException
denied: The account of the caller has no permission on the service application: the farm account and those of the pools that call need one, under Permissions or Administrators of the service application.
check: @iispools
check: Who may use the service application :: Get-SPServiceApplication -Name NAME | Get-SPServiceApplicationSecurity
check: The port of the web services answers :: Test-NetConnection APPSERVER -Port 32843

[topology-service] Application discovery and load balancing
does: tells servers where the endpoints of service applications are
needs: the topology service's pool SharePoint Web Services System; the load balancer job; servers that answer
namespace: Microsoft.SharePoint.SPTopologyWebService, Microsoft.SharePoint.Administration.SPIisWebService, Microsoft.SharePoint.Administration.SPServiceLoadBalancer
text: topology.svc, topology service, no endpoints, There are no addresses available for this application
check: @instances
check: @proxies
check: @iispools

[http-out] Calls to other servers over HTTP
does: fetch pages, feeds and services from elsewhere as the process account
needs: name resolution; a proxy or a direct way out; TLS 1.2 on both sides; trusted certificates
generic: yes
namespace: System.Net, System.Security.Authentication
text: remote name could not be resolved, underlying connection was closed, Unable to connect to the remote server
check: @name
check: @port
check: @proxy

[certificates] Certificates and trust
does: check certificates of other servers and of tokens against SharePoint's own list of roots
needs: roots and intermediates in Manage trust; revocation lists that can be reached; right dates
namespace: System.Security.Cryptography.X509Certificates, Microsoft.SharePoint.Administration.SPTrustedRootAuthority, Microsoft.SharePoint.Administration.SPTrusted
category: certificate management
text: certificate, certificate has validation errors, certificate validation operation took, PartialChain, OfflineRevocation, RevocationStatusUnknown, UntrustedRoot
check: @roots
check: The chain and its revocation, from this server :: certutil -verify -urlfetch FILE.cer
check: @machine

[keys] Private keys and encryption
does: sign tokens and protect passwords with keys in the stores of the machine and of accounts
needs: the certificate with its key; the right of the process account on the key; the credential key of the farm
namespace: System.Security.Cryptography
text: Keyset does not exist, private key, CryptographicException
check: @machine
check: The key's provider and its container :: certutil -store my
check: Rights on the files of keys; those of CNG are in Crypto\Keys :: icacls C:\ProgramData\Microsoft\Crypto\RSA\MachineKeys

[kerberos] Kerberos and Windows sign-in
does: prove who an account is, between servers too
needs: service principal names that one account has; encryption types that both sides know; delegation where a user's identity goes on; a right clock
namespace: System.Net.Security.Negotiate, System.Security.Authentication.InvalidCredentialException, System.Net.NTAuthentication
text: Kerberos, by the KDC, target principal name, service principal name, BackConnectionHostNames
check: @spn
check: @doubles
check: @tickets

[registry] Registry
does: keeps the farm's connection and settings of services
needs: the local groups WSS_WPG and WSS_ADMIN_WPG with their rights; a loaded hive of the account
namespace: Microsoft.Win32.Registry
text: registry access is not allowed, registry key that has been marked for deletion, HKEY_LOCAL_MACHINE
check: @groups
check: Rights on the keys that SharePoint secures :: Get-Acl 'HKLM:\SOFTWARE\Microsoft\Shared Tools\Web Server Extensions\*\Secure'
check: Who is signed in on this server :: query user

[disk] Files and folders of the server
does: hold caches, logs, temporary files and programs
needs: rights of the process account; free space; no virus scanner or backup that holds them
generic: yes
namespace: System.IO.File., System.IO.FileStream, System.IO.FileInfo, System.IO.FileSystem, System.IO.Directory., System.IO.DirectoryInfo, System.IO.DriveInfo, System.IO.DriveNotFoundException, System.IO.PathTooLongException
text: being used by another process, not enough space on the disk, Access to the path
check: Rights on the path of the row :: icacls PATH
check: @space
check: Exclusions of Windows Defender, if it is in use :: Get-MpPreference | Select-Object ExclusionPath

[assemblies] Assemblies (.NET)
does: load the code of products and solutions
needs: files of one build on all servers; versions that binding redirects name; the same bitness
generic: yes
namespace: System.Reflection.ReflectionTypeLoadException, System.Reflection.Assembly, System.Reflection.RuntimeAssembly, System.Runtime.Loader
text: Could not load file or assembly, Could not load type, Method not found
check: @product
check: @servers
check: @solutions

[prerequisites] Prerequisites of SharePoint
does: bring libraries that SharePoint does not install itself
needs: all of them, in the versions that the prerequisite installer of this edition brings
text: assembly 'Microsoft.Data.Edm, assembly 'Microsoft.Data.OData, assembly 'Microsoft.Data.Services, assembly 'System.Spatial, assembly 'Microsoft.IdentityModel, assembly 'Microsoft.ApplicationServer
absent: The prerequisite that brings this library is not installed on this server, or only in part: WCF Data Services for Microsoft.Data and System.Spatial, Windows Identity Foundation for Microsoft.IdentityModel itself, AppFabric for Microsoft.ApplicationServer. Other libraries of Microsoft.IdentityModel come with the code that uses them.
check: What is installed, compared with another server :: Get-ItemProperty HKLM:\SOFTWARE\Microsoft\Windows\CurrentVersion\Uninstall\* | Select-Object DisplayName, DisplayVersion
check: What the prerequisite installer logged, for the account that ran it :: Get-ChildItem $env:TEMP -Filter PrerequisiteInstaller*.log
check: @product

[com] COM components
does: load native components into processes
needs: the component, registered for the bitness of the process; the launch right; a loaded profile of the account
generic: yes
namespace: System.Runtime.InteropServices.ComTypes, System.Runtime.InteropServices.InvalidComObjectException, System.Runtime.InteropServices.Marshal.GetActiveObject, System.Runtime.InteropServices.Marshal.BindToMoniker
text: COM class factory, Class not registered, DistributedCOM, COM Server application with CLSID
check: The class and the file it names :: reg query HKCR\CLSID\{ID} /s
check: DCOM errors of this server :: Get-WinEvent -FilterHashtable @{LogName='System'; ProviderName='Microsoft-Windows-DistributedCOM'} -MaxEvents 20
check: @product

[dcom-iis] IIS WAMREG admin service, a DCOM application of Windows
does: tells SharePoint's processes what sites and pools IIS has
needs: Local Launch and Local Activation for the account that the event names (dcomcnfg, the application of that CLSID)
text: 61738644-F196-11D0-9953-00C04FD919C1
check: Its entry, which names the application in dcomcnfg :: Get-ItemProperty 'Registry::HKEY_CLASSES_ROOT\AppID\{61738644-F196-11D0-9953-00C04FD919C1}'
check: Whether the account of the event is in SharePoint's local group, which may have the rights for all :: Get-LocalGroupMember -Group WSS_WPG
check: How often it happens, and to which accounts :: Get-WinEvent -FilterHashtable @{LogName='System'; ID=10016} -MaxEvents 20

[dcom-msi] Windows Installer (MSIServer), a DCOM application of Windows
does: tells SharePoint's job for product versions what is installed on the server
needs: Local Launch and Local Activation for the account that the event names (dcomcnfg, the application of that CLSID); the service Windows Installer
text: 000C101C-0000-0000-C000-000000000046
check: Its entry, which names the application in dcomcnfg :: Get-ItemProperty 'Registry::HKEY_CLASSES_ROOT\AppID\{000C101C-0000-0000-C000-000000000046}'
check: The job that asks for it, and when it runs :: Get-SPTimerJob job-admin-product-version
check: How often it happens, and to which accounts :: Get-WinEvent -FilterHashtable @{LogName='System'; ID=10016} -MaxEvents 20

[credential-key] Credential key of the farm
does: decrypts the passwords that SharePoint keeps in its configuration
needs: the key in the registry of each server, the same as the farm's; the right of the account to read it
namespace: Microsoft.SharePoint.Administration.SPCredentialManager, Microsoft.SharePoint.Administration.SPEncryptedString
text: Error during encryption or decryption
denied: The account may not read the key of the farm in the registry.
check: Who may read the key, and whether it is there :: Get-Acl 'HKLM:\SOFTWARE\Microsoft\Shared Tools\Web Server Extensions\*\Secure\FarmAdmin'
check: The local groups that may read it :: Get-LocalGroupMember -Group WSS_ADMIN_WPG
check: The account of the farm, under which the timer service must run on each server :: Get-SPFarm | Select-Object DefaultServiceAccount

[wmi] WMI
does: answers questions about Windows and about the services that register there
needs: the WMI service; a registered provider; rights of the account in the namespace
namespace: System.Management.Management, Microsoft.Management.Infrastructure
text: Invalid namespace, ManagementException
check: The namespaces of this server :: Get-CimInstance -Namespace root -ClassName __NAMESPACE
check: Whether the repository is consistent :: winmgmt /verifyrepository
check: The service runs :: Get-Service Winmgmt

[perf-counters] Performance counters
does: measure services; some start only with theirs
needs: registered counters; membership in Performance Monitor Users
namespace: System.Diagnostics.PerformanceCounter, System.Diagnostics.PerformanceMonitor
text: performance counter, PerformanceMonitor.Init
denied: The account is in none of the local groups Performance Monitor Users and Performance Log Users of the server that has the counters.
check: Who may read them :: Get-LocalGroupMember -Group 'Performance Monitor Users'
check: The sets of counters that can be read :: Get-Counter -ListSet SharePoint*
check: What Windows says about counters :: Get-WinEvent -FilterHashtable @{LogName='Application'; ProviderName='Microsoft-Windows-Perflib'} -MaxEvents 20

[event-log] Windows event log
does: takes the events of services
needs: a registered source; rights on the log
namespace: System.Diagnostics.EventLog
check: The sources of SharePoint :: Get-WinEvent -ListProvider *SharePoint*
check: The newest events of the application log :: Get-WinEvent -LogName Application -MaxEvents 50
check: @groups

[backup] Backup and restore
does: write and read the farm's or a site's backups
needs: a share that the SQL Server account, the timer account and the user may write; space
namespace: Microsoft.SharePoint.Administration.Backup
category: backup restore, content migration, backup and restore
text: Backup-SPFarm, spbackup
denied: An account lacks rights on the folder or share of the backup: that of SQL Server for the databases, those of the timer service and of the user for the rest.
absent: The folder or a file of the backup is not there for the one that opens it: databases are written and read by SQL Server, on its own machine. Of an assembly: it is missing on this server.
check: The history of a folder :: Get-SPBackupHistory -Directory FOLDER
check: Rights on the folder; the share has rights of its own :: icacls FOLDER
check: @space

[migration] Export and import of sites
does: write sites, lists and items into packages and read them again
needs: the same build and features on both sides; space in TEMP; rights
namespace: Microsoft.SharePoint.Deployment
category: content deployment
text: content deployment
check: Features of both sides :: Get-SPFeature -Site URL
check: @space
check: @servers

[mail-in] Incoming e-mail
does: takes mails from the drop folder and puts them into lists
needs: the SMTP service's drop folder with rights of the timer account; list aliases; sites that are not locked
namespace: Microsoft.SharePoint.SPIncomingEmail, Microsoft.SharePoint.SPEmail, Microsoft.SharePoint.Administration.SPIncomingEmailService
category: e-mail
text: drop folder, incoming e-mail, Incoming E-Mail service
check: The mails that wait :: Get-ChildItem C:\inetpub\mailroot\Drop
check: Rights on the drop folder :: icacls C:\inetpub\mailroot\Drop
check: @site

[mail-out] Outgoing e-mail and alerts
does: send alerts, invitations and mails of workflows
needs: an SMTP server that relays for this server; its port, which virus scanners may block too; the immediate alerts job
namespace: Microsoft.SharePoint.SPAlert, Microsoft.SharePoint.Utilities.SPUtility.SendEmail, System.Net.Mail
category: alerts
text: SmtpException, SMTP server, SMTP host
check: Its name resolves and it answers :: Test-NetConnection SMTPSERVER -Port 25
check: What the web application is set to :: Get-SPWebApplication URL | Select-Object OutboundMailServiceInstance, OutboundMailSenderAddress
check: @jobs

[sandbox] Sandboxed code
does: runs user solutions in processes of their own
needs: the service SPUserCodeV4; free workers; its account's access to revocation lists
namespace: Microsoft.SharePoint.UserCode, Microsoft.SharePoint.SPUserCode, Microsoft.SharePoint.SPUserSolution, Microsoft.SharePoint.Administration.SPUserCode
category: sandboxed code service, user solutions
text: sandboxed code
process: spucworkerprocess, spuchostservice
check: The service runs :: Get-Service SPUserCodeV4
check: The solutions of a site :: Get-SPUserSolution -Site URL
check: @proxy

[sandbox-busy] Sandboxed code, whose host was too busy
does: refuses a request when no process takes it in time
needs: free workers; lists of revoked certificates that the server reaches, or it waits for them; code that does not start sandboxed code from within
text: Sandboxed Code Host Service was too busy
check: This server reaches the lists of revoked certificates :: Test-NetConnection crl.microsoft.com -Port 80
check: The service runs :: Get-Service SPUserCodeV4
check: The receivers of the list, which may be sandboxed code as well :: Get-SPWeb URL | Select-Object -ExpandProperty Lists | Where-Object Title -eq LIST | Select-Object -ExpandProperty EventReceivers

[antivirus] Antivirus and AMSI
does: look at uploads, downloads and requests before SharePoint does
needs: a scanner that answers in time; in later builds AMSI enabled per web application
namespace: Microsoft.SharePoint.SPVirus, Microsoft.SharePoint.Administration.SPAntivirus
category: antivirus
text: antivirus, virus scanner
check: State of Windows Defender, if it is in use :: Get-MpComputerStatus
check: Settings of SharePoint's virus scan :: Get-SPFarm | Select-Object -ExpandProperty Services | Where-Object TypeName -like '*Web Application*' | Select-Object AntivirusSettings
check: @rows

[rbs] Remote BLOB storage
does: keeps files outside SQL Server
needs: the provider on every web server; EXECUTE on the schema mssqlrbs for the process account; the store
namespace: Microsoft.Data.SqlRemoteBlobs, Microsoft.SharePoint.Administration.SPRemoteBlobStorage
text: mssqlrbs, rbs_fn, Remote Blob
check: Whether RBS is on for a database :: Get-SPContentDatabase DATABASE | Select-Object -ExpandProperty RemoteBlobStorageSettings
check: The provider on this server :: reg query HKLM\SOFTWARE\Microsoft\Windows\CurrentVersion\Uninstall /s /f "Remote Blob"
check: @content

[request-management] Request Management
does: routes and throttles requests by rules
needs: its service on the web servers; rules; servers that answer
category: request management
check: Its settings :: Get-SPWebApplication URL | Get-SPRequestManagementSettings
check: @instances
check: @servers

[throttling] Throttling of requests by health
does: refuses requests with 503 while the server is too busy
needs: memory and a short queue of ASP.NET
namespace: Microsoft.SharePoint.Administration.SPHttpThrottle
text: HTTP request throttling, request throttling, Http throttling
check: What is measured, and at which values it throttles :: Get-SPWebApplicationHttpThrottlingMonitor -Identity URL
check: @memory
check: What was slow then :: fastctl logs slow LOGS

[irm] Information Rights Management
does: protects documents with rights as they leave a library
needs: the rights management server and client; certificates of the account
namespace: Microsoft.SharePoint.Administration.SPIrm
category: information rights management
text: Rights Management
check: The rights management server answers :: Test-NetConnection RMSSERVER -Port 443
check: @machine
check: @accounts

[health] Health Analyzer
does: runs rules over the farm and lists what is wrong
needs: its jobs; the farm account on each server
namespace: Microsoft.SharePoint.Administration.Health
category: health
text: health rule
check: Its rules :: Get-SPHealthAnalysisRule
check: @jobs
check: @timer

[variations] Features that this edition lacks
does: stands in for code of SharePoint Server where only Foundation is installed
needs: the edition that has the function
text: detected an invalid program, InvalidProgramException
check: The edition and its products :: Get-SPProduct
check: The build of the farm :: Get-SPFarm | Select-Object BuildVersion
check: Version of the file of the row, here and on another server :: Get-Item FILE | Select-Object -ExpandProperty VersionInfo

"""##,
        ##"""

@status = State of each component :: Get-SPEnterpriseSearchStatus -SearchApplication (Get-SPEnterpriseSearchServiceApplication) -Text
@topology = Which components run where :: Get-SPEnterpriseSearchTopology -SearchApplication (Get-SPEnterpriseSearchServiceApplication) -Active | Get-SPEnterpriseSearchComponent
@instances = The search instances of the servers :: Get-SPEnterpriseSearchServiceInstance | Select-Object Server, Status
@service = The accounts of search :: Get-SPEnterpriseSearchService | Select-Object ProcessIdentity, ProxyType
@host = The search services of this server :: Get-Service OSearch*, SPSearchHostController -ErrorAction SilentlyContinue
@rights = The user rights of the search account, in a prompt that runs as it :: whoami /priv
@sources = Content sources and their crawls :: Get-SPEnterpriseSearchCrawlContentSource -SearchApplication (Get-SPEnterpriseSearchServiceApplication) | Select-Object Name, CrawlState, CrawlStarted, CrawlCompleted, ErrorCount, WarningCount
@databases = The databases exist and answer :: Get-SPDatabase | Where-Object TypeName -like '*Search*' | Select-Object Name, Server, Exists
@proxies = The proxy is there and in the web application's group :: Get-SPServiceApplicationProxyGroup | Select-Object FriendlyName, Proxies
@space = Free space of the drives :: Get-PSDrive -PSProvider FileSystem
@memory = Free memory of the server, in KB :: Get-CimInstance Win32_OperatingSystem | Select-Object FreePhysicalMemory, FreeVirtualMemory
@servers = Which servers need an upgrade; their builds are in Central Administration, Manage servers and patch status :: Get-SPServer | Where-Object Role -ne Invalid | Select-Object Name, Role, Status, NeedsUpgrade
@policy = Who reads a web application by policy :: Get-SPWebApplication URL | Select-Object -ExpandProperty Policies

[search] Search
does: crawls, indexes and answers queries
needs: its service application, proxy and databases; the search account; its components; disks and memory
namespace: Microsoft.Office.Server.Search
category: search
text: search service application, SearchServiceApplication
process: mssearch
check: @status
check: @instances
check: @databases

[crawler] Search crawler
does: reads sites, shares and other sources
needs: the content access account with Full Read; addresses without loopback check; protocol handlers; its databases
namespace: Microsoft.Office.Server.Search.Crawl, Microsoft.Office.Server.Search.Connector
category: crawler, gatherer, connectors, mssearch
text: content access account, sts4s://, sts4://, start address, crawl, gthrsvc, gatherer, CRobotThread, native\gather, FLTRDMN: Errorinfo
process: mssdmn
check: @sources
check: @policy
check: Whether this server refuses its own names: DisableLoopbackCheck and BackConnectionHostNames :: Get-ItemProperty HKLM:\SYSTEM\CurrentControlSet\Control\Lsa, HKLM:\SYSTEM\CurrentControlSet\Control\Lsa\MSV1_0 | Select-Object PSChildName, DisableLoopbackCheck, BackConnectionHostNames

[search-people] Crawl of user profiles
does: reads profiles for people search
needs: the crawl account's right "Retrieve People Data for Search Crawlers" among the administrators of the User Profile service application; the My Site host
text: sps3://, sps3s://
check: @sources
check: @proxies
check: @policy

[search-cloud] Cloud hybrid search
does: sends the index to Microsoft 365
needs: outgoing HTTPS; the tenant's quota; the connection's certificate; its rate
category: azure plugin
text: AzureServiceProxy, AzurePlugin, Azure Plugin, CloudSSA, plugins\azurepi, native\gather\plugins\azurepi
check: @sources
check: The proxy of WinHTTP; .NET code has its own, system.net/defaultProxy in web.config or machine.config :: netsh winhttp show proxy
check: The service of the tenant answers from this server :: Test-NetConnection TENANT.sharepoint.com -Port 443

[search-remote] Search results of another SharePoint farm, or of Microsoft 365
does: asks a remote result source, and signs in there with a token of this farm's or of the tenant
needs: trust between the two sides; the user in both, with one profile here; the realm; an address that is reached from there; a proxy of search without partitions
namespace: Microsoft.Office.Server.Search.RemoteSharepoint
text: RemoteSharepointProducer, RemoteSharepointEvaluator
check: Who may send tokens for apps and servers :: Get-SPTrustedSecurityTokenIssuer | Select-Object Name, RegisteredIssuerName, NameId
check: The realm of the farm :: Get-SPAuthenticationRealm
check: @proxies

[search-content] Search: content processing
does: parses documents and extracts properties
needs: "Replace a process level token" and "Adjust memory quotas for a process" for the search account; memory; temporary folders; managed properties that take what is mapped to them
namespace: Microsoft.Ceres.ContentEngine, Microsoft.Ceres.DocParsing, Microsoft.Ceres.Evaluation, Microsoft.Ceres.Common.Tools.Sandbox
category: document parsing, content processing
text: Parser server, SandboxWorker, ContentProcessingComponent, CrawlerFlow, content processing pipeline, AttributeMapper
process: noderunnercontent
check: @rights
check: @status
check: @memory

[search-index] Search: index
does: keeps the index in partitions and replicas
needs: disk space; replicas that are healthy; no virus scanner on its folders
namespace: Microsoft.Ceres.SearchCore
category: index
text: IndexComponent, journal shipping, index partition, has no available cells, Cannot plan query for index system
process: noderunnerindex
check: @status
check: @space
check: Exclusions of Windows Defender, if it is in use :: Get-MpPreference | Select-Object ExclusionPath

[search-query] Search: query processing
does: answers queries with rules, sources and security
needs: the index; the query service on the web servers; the same build everywhere; net.tcp 808
namespace: Microsoft.Ceres.InteractionEngine, Microsoft.Office.Server.Search.Query, Microsoft.Office.Server.Search.WebControls, Microsoft.Office.Server.Search.REST
category: query processor, query
text: QueryProcessingComponent, ContractFilter mismatch
process: noderunnerquery
check: @status
check: @proxies
check: @servers

[search-analytics] Search: analytics
does: counts links and usage for ranking
needs: its databases; an analytics component; the usage data
namespace: Microsoft.Ceres.AnalyticsEngine, Microsoft.Office.Server.Search.Analytics
category: analytics
text: AnalyticsProcessingComponent
process: noderunneranalytics
check: @status
check: @databases
check: @space

[search-admin] Search: administration
does: places the components and changes the topology
needs: the administration database; the Search Host Controller on each server
namespace: Microsoft.Office.Server.Search.Administration, Microsoft.Ceres.CoreServices, Microsoft.Ceres.HostController
category: search administration, topology component
text: Search Host Controller, SearchHostController, AdminComponent
process: noderunneradmin, hostcontrollerservice
check: @topology
check: @host
check: @databases

[search-nodes] Search: its processes (noderunner)
does: run the components of search
needs: the search account with its user rights; memory within the limit of noderunner.exe.config; free ports
namespace: Microsoft.Ceres
text: noderunner, NodeRunner
process: noderunner
check: @status
check: The memory limit :: Select-String -Path 'C:\Program Files\Microsoft Office Servers\*\Search\Runtime\1.0\noderunner.exe.config' -Pattern memoryLimitMegabytes
check: @rights

[search-query-2010] Search of SharePoint 2010: query components
does: keep the index and answer queries
needs: rights to copy the index between servers: the search account on the propagation share of each query server; space
text: query component, currently affecting index propagation, index propagation, propagation of the index, propagation server
denied: The account of the search service may not read the index files of the crawl server over its share, or write those of the query server: local rights and the group WSS_WPG, not rights in sites.
check: @host
check: Rights on the index folder :: icacls FOLDER
check: @space

[search-foundation] Search of SharePoint Foundation
does: crawls and answers queries in farms without SharePoint Server
needs: its service with account and database; in 2013, it is the search of SharePoint Server
namespace: Microsoft.SharePoint.Search
category: sharepoint foundation search
text: SPSearch4
check: The service of SharePoint Foundation 2010 runs :: Get-Service SPSearch4
check: @databases
check: @space

[search-enrichment] Content enrichment web service
does: changes properties of documents on their way into the index
needs: its web service without sign-in; answers within its time; the properties it names
namespace: Microsoft.Office.Server.Search.ContentProcessingEnrichment
text: content enrichment, ContentEnrichment
check: Its settings :: Get-SPEnterpriseSearchContentEnrichmentConfiguration -SearchApplication (Get-SPEnterpriseSearchServiceApplication)
check: The address answers from this server :: Test-NetConnection HOST -Port 80
check: @status

[fast] FAST Search Server 2010 for SharePoint
does: indexes and answers queries on servers of its own
needs: its services; certificates between it and SharePoint; disks with more than twice the index
namespace: Microsoft.SharePoint.Search.Extended
category: fast search
text: FAST Search, qrproxy, FASTSearch
process: fsearch, qrserver, nctrl, procserver
check: Its processes, on its servers :: nctrl status
check: Its services :: Get-Service *FAST*
check: @space

[fast-content] FAST content plug-in and distributor
does: hands crawled documents to FAST
needs: the content distributor's address and port; a certificate that SharePoint trusts and the search account may use; memory below its limit
category: content plugin
text: Contentdistributor, contentdistributor, At memory capacity, MaxMemoryLoad, content distributor
check: Distributor and limits :: Get-SPEnterpriseSearchExtendedConnectorProperty -SearchApplication NAME
check: The distributor answers :: Test-NetConnection FASTHOST -Port 13391
check: @memory

[thesaurus] Search: dictionaries and word breakers
does: split words, correct spelling, extract entities
needs: its dictionaries in the term store and its jobs
namespace: Microsoft.Ceres.NlpBase
text: spelling dictionary, wordbreaker, Word Breaker
check: The jobs of search :: Get-SPTimerJob | Where-Object Name -like '*search*'
check: @status
check: @proxies

"""##,
        ##"""

@instances = The service is Online where it should run :: Get-SPServiceInstance | Sort-Object TypeName | Select-Object Server, TypeName, Status
@applications = The service application and its pool :: Get-SPServiceApplication | Select-Object DisplayName, TypeName, Status, ApplicationPool
@proxies = The proxy is there and in the web application's group :: Get-SPServiceApplicationProxyGroup | Select-Object FriendlyName, Proxies
@pools = Which accounts the pools of services run as :: Get-SPServiceApplicationPool | Select-Object Name, ProcessAccountName
@databases = The databases exist and answer :: Get-SPDatabase | Select-Object Name, Server, Exists, NeedsUpgrade
@servers = Which servers need an upgrade; their builds are in Central Administration, Manage servers and patch status :: Get-SPServer | Where-Object Role -ne Invalid | Select-Object Name, Role, Status, NeedsUpgrade
@jobs = When timer jobs last ran, and which are disabled :: Get-SPTimerJob | Sort-Object LastRunTime | Select-Object Name, LastRunTime, IsDisabled
@iispools = The application pools of IIS are started; before Windows Server 2016, see IIS Manager :: Get-IISAppPool | Select-Object Name, State
@space = Free space of the drives :: Get-PSDrive -PSProvider FileSystem
@rows = The same request from its beginning :: fastctl logs trace CORRELATION LOGS
@machine = The certificates of the machine, their dates and keys :: Get-ChildItem Cert:\LocalMachine\My | Select-Object Subject, NotAfter, HasPrivateKey
@solutions = Solutions and where they are deployed :: Get-SPSolution | Select-Object Name, Deployed, DeployedServers, LastOperationResult
@sourceport = The data source answers from the server of the instance :: Test-NetConnection SOURCE -Port PORT
@realm = The realm of the farm :: Get-SPAuthenticationRealm
@site = The site, its owner, lock and database :: Get-SPSite URL | Select-Object Url, Owner, ReadOnly, ReadLocked, ContentDatabase
@found = A domain controller is found :: nltest /dsgetdc:DOMAIN
@token = Who may send tokens for apps and servers :: Get-SPTrustedSecurityTokenIssuer | Select-Object Name, RegisteredIssuerName, NameId

[user-profiles] User Profile service
does: keeps profiles, properties and audiences of users
needs: its service application, proxy in the group, three databases; rights of pools and of the content access account; the same build everywhere
namespace: Microsoft.Office.Server.UserProfiles, Microsoft.Office.Server.Administration.UserProfile, Microsoft.Office.Server.Audience
category: user profiles, user profile
text: UserProfileApplication, User Profile Service, UserProfileDBCache, ProfileDBCacheService
denied: The account of the caller is neither among the administrators of the User Profile service application nor among those who may use it (Permissions).
check: @instances
check: @proxies
check: @databases

[profile-sync] User profile synchronization (Forefront Identity Manager)
does: copies profiles from the directory, in SharePoint 2010 and 2013
needs: the services FIMService and FIMSynchronizationService; the farm account as local administrator, with log on locally, while it starts; Replicating Directory Changes; the sync database outside mirroring while it starts
namespace: Microsoft.Office.Server.UserProfiles.Synchronization, Microsoft.ResourceManagement, Microsoft.MetadirectoryServices, Microsoft.Office.Server.UserProfiles.ManagementAgent, Microsoft.Office.Server.Administration.SynchronizationDatabase, Microsoft.Office.Server.Administration.ProfileSynchronization
category: forefront identity manager, microsoft.resourcemanagement, fimsynchronizationservice
text: SynchronizeMIIS, UserProfile Synchronization, ILMMA, MIIS, FIMSynchronizationService, ProfileSynchronizationServiceInstance, Forefront Identity Manager
process: miiserver, microsoft.resourcemanagement.service
check: Both services run on the synchronization server :: Get-Service FIMService, FIMSynchronizationService
check: @instances
check: @databases

[profile-sync-connection] Profile synchronization: its connection with the directory
does: reads the directory with the account of the synchronization connection
needs: a domain controller that answers; the account, its password, and its right Replicating Directory Changes
text: step result: stopped-connectivity, step result: no-start-connection, step result: no-start-credentials, step result: no-start-no-domain-controller, stopped-connectivity, Replication access was denied
denied: The account of the connection has no right Replicating Directory Changes on the domain, or on its configuration partition.
check: @found
check: The directory answers from this server :: Test-NetConnection DC -Port 389
check: Whether the account is locked or its password has expired :: net user ACCOUNT /domain

[profile-import] Active Directory import
does: copies profiles from the directory without a metadirectory, from SharePoint 2013 on
needs: the import account with Replicating Directory Changes on each domain; a domain controller; the User Profile service
namespace: Microsoft.Office.Server.UserProfiles.UserProfileADImport, Microsoft.Office.Server.UserProfiles.ADImport
text: UserProfileADImport, Replicating Directory Changes
denied: The account of the connection has no right Replicating Directory Changes on the domain, or on its configuration partition.
check: A domain controller is found :: nltest /dsgetdc:DOMAIN
check: @jobs
check: @instances

[communities] Community sites
does: set up discussions, members and badges of a site, and its quick launch
needs: its features; a site with the navigation that its template has
namespace: Microsoft.SharePoint.Portal.Community
check: The features of a site :: Get-SPFeature -Site URL
check: The quick launch of the web, and its template :: Get-SPWeb URL | Select-Object WebTemplate, Configuration, @{n='Quick launch'; e={$_.Navigation.QuickLaunch.Count}}
check: @rows

[my-sites] My Sites
does: create personal sites and show profiles
needs: the My Site host; a managed path; self-service site creation; the User Profile service
namespace: Microsoft.SharePoint.Portal, Microsoft.Office.Server.UserProfiles.UserProfile.CreatePersonalSite, Microsoft.Office.Server.UserProfiles.UserProfile.CreateSite
category: personal site instantiation, my site
text: personal site, My Site
check: Managed paths of the web application :: Get-SPManagedPath -WebApplication URL
check: Whether users may create sites :: Get-SPWebApplication URL | Select-Object SelfServiceSiteCreationEnabled
check: @proxies

[microfeed] Newsfeed
does: keeps posts and followed things
needs: Distributed Cache; My Sites; the User Profile service
namespace: Microsoft.Office.Server.Microfeed, Microsoft.Office.Server.Social., Microsoft.SharePoint.Portal.WebControls.FeedWebPart, Microsoft.SharePoint.Portal.WebControls.SiteFeedWebPart
category: microfeeds, feed cache
text: SocialREST, Newsfeed, FeedCache, LMTRepopulationJob
check: A cache host answers :: Test-NetConnection CACHEHOST -Port 22233
check: @jobs
check: @proxies

[social] Social tags, notes and ratings
does: keep what users tag, note and rate
needs: the User Profile service and its social database
namespace: Microsoft.Office.Server.SocialData
category: social data
check: @databases
check: @proxies
check: @instances

[claim-mapping] Mapping of users from claims to profiles
does: finds the profile that belongs to the claims of a token, for calls between servers
needs: exactly one profile for each user; account name, UPN, mail or SIP address in it
namespace: Microsoft.Office.Server.Security
check: @token
check: @realm
check: @proxies

[web-analytics] Web Analytics of SharePoint 2010
does: counts visits and searches of sites
needs: its service application and proxy; its two services; the staging and reporting databases; the usage data
namespace: Microsoft.Office.Server.WebAnalytics
category: web analytics
text: Web Analytics
check: @instances
check: @databases
check: @jobs

[metadata] Managed Metadata service
does: keeps terms and publishes content types
needs: its service application, proxy and database; rights of the calling pools; a default for keywords
namespace: Microsoft.SharePoint.Taxonomy
category: taxonomy, managed metadata, content type hub
text: Managed Metadata, term store, TaxonomyField, ContentTypeHub, MetadataWebService.svc
check: The proxy and its defaults :: Get-SPMetadataServiceApplicationProxy NAME
check: Whether term stores can be read from a site :: Get-SPTaxonomySession -Site URL
check: @databases

[content-type-hub] Content type hub
does: publishes content types to sites, by jobs that read the hub's change log
needs: the hub and its features; jobs that run more often than the change log forgets; the proxy's setting to take them over
category: content type syndication
text: process hub site, content type hub, content type syndication, MetadataSubscriberTimerJob, MetadataHubTimerJob, changeToken refers to
check: The jobs and when they ran last :: Get-SPTimerJob | Where-Object Name -like 'Metadata*TimerJob' | Select-Object Name, WebApplication, LastRunTime, IsDisabled
check: How long the change log of the hub's web application remembers :: Get-SPWebApplication URL | Select-Object ChangeLogExpirationEnabled, ChangeLogRetentionPeriod
check: Whether the proxy takes content types over :: Get-SPMetadataServiceApplicationProxy NAME | Select-Object -ExpandProperty Properties

[secure-store] Secure Store service
does: keeps credentials for other systems, encrypted with a master key
needs: the key on each server; target applications with members; its database
namespace: Microsoft.Office.SecureStoreService
category: secure store
text: SecureStore, Secure Store, target application
denied: The account is neither among the administrators of the Secure Store service application nor among those who may use it, or the user is no member of the target application.
check: The target applications :: Get-SPSecureStoreApplication -ServiceContext URL -All
check: @instances
check: @databases

[secure-store-admin] Secure Store service: its administrators
does: lets only them create keys and target applications
needs: the user among the administrators of the service application, or of the farm
text: full exception text is: User does not have permission
check: Who administers it :: Get-SPServiceApplication | Where-Object TypeName -like 'Secure Store*' | Get-SPServiceApplicationSecurity -Admin | Select-Object -ExpandProperty AccessRules
check: Who the user is, with groups, in a prompt that runs as that user :: whoami /all
check: @instances

[bcs] Business Connectivity Services
does: shows data of other systems as lists
needs: its service application; credentials in Secure Store; rights on the model; the other system
namespace: Microsoft.BusinessData, Microsoft.SharePoint.BusinessData, Microsoft.SharePoint.WebControls.BusinessData, Microsoft.Office.BusinessApplications
category: business connectivity, business data
text: BdcService, external content type, MetadataObject, LobSystemInstance, external data column, Message from External System
check: The catalog of models, with its rights :: Get-SPBusinessDataCatalogMetadataObject -BdcObjectType Catalog -ServiceContext URL
check: Its limits :: Get-SPBusinessDataCatalogThrottleConfig -Scope Database -ThrottleType Items -ServiceApplicationProxy PROXY
check: @proxies

[workflow-2010] Workflows of SharePoint 2010
does: run in the web servers and the timer service
needs: authorized types in web.config and OWSTIMER.EXE.CONFIG; assemblies; the workflow job
namespace: Microsoft.SharePoint.Workflow, System.Workflow, Microsoft.SharePoint.WorkflowActions, Microsoft.Office.Workflow
category: workflow infrastructure, legacy workflow
text: RunWorkflow, authorizedType, is not marked as authorized
check: The authorized types of the web applications :: fastctl webconfig check FOLDER
check: Those of the timer service :: Select-String -Path 'C:\Program Files\Common Files\microsoft shared\Web Server Extensions\*\BIN\OWSTIMER.EXE.CONFIG' -Pattern authorizedType
check: The workflow jobs :: Get-SPTimerJob job-workflow

[workflow-owner] Workflows of SharePoint 2010: the user for whom they run
does: runs a step as the user who started the workflow, or as the author of its association
needs: both users in the site
namespace: Microsoft.SharePoint.Workflow.SPWinOEWSSService.GetWebForWorkflow, Microsoft.SharePoint.Workflow.SPWinOEWSSService.get_Web, Microsoft.SharePoint.Workflow.SPWorkflowUserContext
check: The author of each association of a list, by the ID of a user of the site :: Get-SPWeb URL | Select-Object -ExpandProperty Lists | Where-Object Title -eq LIST | Select-Object -ExpandProperty WorkflowAssociations | Select-Object Name, Author
check: The users of the site and their IDs :: Get-SPUser -Web URL | Select-Object ID, UserLogin
check: The owner of the site :: Get-SPSite URL | Select-Object Url, Owner

[workflow-host] Workflows of SharePoint 2010: their host
does: loads the services that web.config names, and the workflow's class, in the web server or the timer service
needs: the web application, with its web.config, on each server whose timer runs workflows; the same web.config everywhere
namespace: Microsoft.SharePoint.Workflow.SPWinOeHostServices
check: Servers that run the workflow timer run the web application too :: Get-SPServiceInstance | Where-Object Status -eq Online | Sort-Object TypeName | Select-Object TypeName, Server
check: The services and authorized types of the web applications :: fastctl webconfig check FOLDER
check: Those of the timer service :: Select-String -Path 'C:\Program Files\Common Files\microsoft shared\Web Server Extensions\*\BIN\OWSTIMER.EXE.CONFIG' -Pattern authorizedType

[workflow-tasks] Workflows of SharePoint 2010: their tasks
does: creates and changes the items of the task list
needs: a task list that allows content types and has the workflow's
namespace: Microsoft.SharePoint.Workflow.SPWinOETaskService
check: The task list and its content types :: Get-SPWeb URL | Select-Object -ExpandProperty Lists | Where-Object BaseTemplate -eq Tasks | Select-Object Title, ContentTypesEnabled, ContentTypes
check: The content types that the site has :: Get-SPWeb URL | Select-Object -ExpandProperty AvailableContentTypes | Select-Object Name, Id
check: @solutions

[workflow-services] Workflows of SharePoint 2013 and later: SharePoint's side
does: lists activities, publishes workflows and starts them, and asks Workflow Manager to run them
needs: features of activities that no two solutions bring; the lists of the site; the connection with Workflow Manager
namespace: Microsoft.SharePoint.WorkflowServices
category: workflow services
check: The features of the site, some of which bring activities :: Get-SPFeature -Site URL
check: Solutions that bring activities, each but once :: Get-SPSolution | Select-Object Name, Deployed, DeployedServers, LastOperationResult
check: The connection of the farm :: Get-SPServiceApplicationProxy | Where-Object TypeName -like *Workflow*

[workflow-manager] Workflow Manager
does: runs workflows of SharePoint 2013 and later on servers of its own
needs: its Windows service and Service Bus; https on 12290; certificates; the farm's realm; the proxy; App Management; profiles of the users
namespace: Microsoft.Workflow, Microsoft.Activities, Microsoft.ServiceBus
text: Workflow Manager, WorkflowServiceProxy, WorkflowServiceApplicationProxy, WFServiceOperators, WFInstanceManagementDB, WFResourceManagementDB, InsertTrackingAndStatus
check: The connection of the farm :: Get-SPServiceApplicationProxy | Where-Object TypeName -like *Workflow*
check: Its port answers from this server :: Test-NetConnection WORKFLOWHOST -Port 12290
check: Its services, on its own servers :: Get-Service WorkflowServiceBackend, 'Service Bus Gateway', 'Service Bus Message Broker', FabricHostSvc -ErrorAction SilentlyContinue

[nintex] Nintex, a third-party product
does: workflows and forms of a third party
needs: its solutions on all servers; its databases; its timer jobs and authorized types
namespace: Nintex
category: nintex
text: Nintex
check: @solutions
check: @databases
check: The authorized types of the web applications :: fastctl webconfig check FOLDER

[k2] K2, a third-party product
does: workflows and forms of a third party
needs: its solutions and its own server
namespace: SourceCode.
category: k2
text: SourceCode.Workflow
check: @solutions
check: Its server answers :: Test-NetConnection K2SERVER -Port 5555
check: @rows

[avepoint] AvePoint DocAve, a third-party product
does: backup and administration by a third party
needs: its agents and solutions on all servers
namespace: AvePoint
category: avepoint, docave
text: DocAve, AvePoint
check: @solutions
check: Its services on this server :: Get-Service *DocAve*
check: @rows

[metalogix] Metalogix, Quest or StoragePoint, a third-party product
does: migration and storage by a third party
needs: its solutions; its file stores; its database
namespace: Metalogix, BlueThread, Quest.
category: metalogix, storagepoint
text: StoragePoint, Metalogix
check: @solutions
check: @databases
check: @space

[excel] Excel Services
does: calculates and shows workbooks, in SharePoint 2010 and 2013
needs: trusted file locations; the unattended account in Secure Store; data model servers
namespace: Microsoft.Office.Excel.Server, Microsoft.Office.Excel.WebUI
category: excel services, excel calculation, data model
text: Excel Services, Excel Calculation
hosted: office-online in Excel Online
hosted: office-online in Hosted Office Online
hosted: office-online in Hosted Services Infrastructure
check: Where workbooks may be :: Get-SPExcelServiceApplication | Get-SPExcelFileLocation
check: Data model servers (2013) :: Get-SPExcelServiceApplication | Get-SPExcelBIServer
check: @instances

[powerpivot] PowerPivot for SharePoint
does: refreshes data models of workbooks and shows how they are used
needs: its service application and solutions; an Analysis Services instance in SharePoint mode; the unattended account
namespace: Microsoft.AnalysisServices.SharePoint
category: powerpivot, data refresh, ssas mid-tier
text: PowerPivot
check: @solutions
check: The Analysis Services instances of this server :: Get-Service MSOLAP*
check: @instances

[data-model] Data model of a workbook, at Analysis Services
does: loads and refreshes the model, and its sources, as the user or the unattended account
needs: the instance in SharePoint mode; "Act as part of the operating system" for its account, if it opens sources as the user; the sources
text: ThisWorkbookDataModel, Out of line object, Failed to create an external connection or execute a query
check: The instances of this server and their accounts :: Get-CimInstance Win32_Service -Filter "Name LIKE 'MSOLAP%'" | Select-Object Name, State, StartName
check: Whether its account has "Act as part of the operating system" (SeTcbPrivilege), in a prompt that runs as it :: whoami /priv
check: @sourceport

[analysis-services] Analysis Services
does: answers queries on data models
needs: its instance; its administrators, among them the account of the caller; a version that fits
namespace: Microsoft.AnalysisServices
text: Analysis Services, AdomdConnection, SetAuthContext
check: The instances of this server :: Get-Service MSOLAP*
check: What the instances of this server wrote into the application log :: Get-WinEvent -LogName Application -MaxEvents 1000 | Where-Object ProviderName -like 'MSOLAP*'
check: @pools

[adomd-reader] Results of Analysis Services, as its client (ADOMD.NET) reads them
does: hands the rows of an answer to the code that asked
needs: a connection that stays open until the last row; values where the code expects some
generic: yes
namespace: Microsoft.AnalysisServices.AdomdClient.AdomdDataReader
check: The same request from its beginning :: fastctl logs trace CORRELATION LOGS
check: The instances of this server and their accounts :: Get-CimInstance Win32_Service -Filter "Name LIKE 'MSOLAP%'" | Select-Object Name, State, StartName
check: The versions of the SQL Server instances on this server :: Get-ItemProperty 'HKLM:\SOFTWARE\Microsoft\Microsoft SQL Server\*\Setup' | Select-Object SqlProgramDir, Edition, Version, PatchLevel

[performancepoint] PerformancePoint Services
does: scorecards and dashboards, until SharePoint 2019
needs: the unattended account with its Secure Store; trusted locations; ADOMD.NET
namespace: Microsoft.PerformancePoint
category: performancepoint
text: PerformancePoint
check: Its service applications, with the unattended account :: Get-SPPerformancePointServiceApplication | Select-Object *
check: @instances
check: @proxies

[reporting] Reporting Services
does: shows reports of SQL Server in SharePoint; a service application up to SQL Server 2016
needs: its service application or add-in; its databases; the account's rights on reports and sources
namespace: Microsoft.ReportingServices
category: report server, reporting services
text: Reporting Services, rsError, ReportServer
check: @instances
check: @databases
check: @applications

[visio] Visio Services
does: draws Visio files in the browser
needs: its service application; a disk cache free of virus scanners
namespace: Microsoft.Office.Visio
category: visio graphics
text: Visio Graphics, VisioServer
check: Its service applications :: Get-SPVisioServiceApplication
check: @instances
check: Exclusions of Windows Defender, if it is in use :: Get-MpPreference | Select-Object ExclusionPath

[access] Access Services
does: runs Access databases in the browser
needs: its service application; in 2013 and later a SQL Server for apps with contained databases; an app domain
namespace: Microsoft.Office.Access
category: access services
text: Access Services
check: Its service applications :: Get-SPAccessServicesApplication
check: @instances
check: @databases

[infopath] InfoPath Forms Services
does: shows forms in the browser
needs: State Service; the session; data connections that the farm allows; registry rights of the pool
namespace: Microsoft.Office.InfoPath
category: infopath
text: InfoPath form, InfoPath template, InfoPath list, InfoPath service, cross-domain data connection, cross-domain access
check: What forms may do :: Get-SPInfoPathFormsService
check: Form templates of the farm :: Get-SPInfoPathFormTemplate
check: The State Service :: Get-SPStateServiceApplication

[word] Word Automation Services
does: converts documents in the background
needs: its service application and job; its database; memory and temporary folders
namespace: Microsoft.Office.Word
category: word automation
text: Word Automation
process: wordserver
hosted: office-online in Hosted Office Online
hosted: office-online in Hosted Services Infrastructure
check: @instances
check: @jobs
check: @databases

[powerpoint] PowerPoint service application
does: shows and converts presentations
needs: its service application and pool
namespace: Microsoft.Office.Server.PowerPoint, Microsoft.Office.Server.Powerpoint
category: powerpoint
hosted: office-online in Hosted Office Online
hosted: office-online in Hosted Services Infrastructure
check: @applications
check: @instances
check: @iispools

[translation] Machine Translation service
does: translates documents with a service in the cloud, until SharePoint 2019
needs: outgoing HTTPS; App Management; the User Profile service; its database
namespace: Microsoft.Office.TranslationServices
category: machine translation
text: Machine Translation
check: @instances
check: @databases
check: The proxy of WinHTTP; .NET code has its own, system.net/defaultProxy in web.config or machine.config :: netsh winhttp show proxy

[project-notifications] Project Server: its notifications and reminders
does: send mails from queue jobs, with server and sender of their own settings
needs: SMTP server, sender and domain in the server settings (Alerts and Reminders); valid addresses of the resources
text: NotificationQueueMessageFailed
check: The SMTP server of these settings answers :: Test-NetConnection SMTPSERVER -Port 25
check: @databases
check: @instances

[project] Project Server
does: keeps projects, tasks and resources, and works in queues
needs: its service application and databases; the queue service; a project site
namespace: Microsoft.Office.Project, Microsoft.ProjectServer
category: project server
text: Project Server, PWA:, MSP_, GeneralQueueJobFailed, CreateWssSiteContent, ProjectQueueService
process: microsoft.office.project.server.queuing, microsoft.office.project.server.calc
check: @instances
check: @databases
check: @applications

[office-shared] Shared code of the services for documents
does: runs workers that convert and show documents, in SharePoint's own services and in Office Online Server
needs: its settings and adapters; memory and temporary folders
generic: yes
namespace: Microsoft.Office.ServiceInfrastructure, Microsoft.Office.Web.Common, Microsoft.Office.Web.Conversion
hosted: office-online in Hosted Office Online
hosted: office-online in Hosted Services Infrastructure
check: @applications
check: @instances
check: @rows

[office-online] Office Online Server and Office Web Apps
does: show and edit documents in the browser, on servers of their own
needs: its farm of the same build; a certificate; ways in both directions; its cache, on a drive that is not removable
namespace: Microsoft.Office.Web
category: office web apps, wac, office viewing architecture, excel online, excel online / excel calculation, hosted office online, hosted services infrastructure
text: pptc/, Office Web Apps, Office Online Server, OfficeWebApps, wac-server, WAC Server, WacServer, WacConversion, WOPI CheckFile
process: fileconversionservice, agentmanagerwatchdog, hostingservicewatchdog, ulscontrollerwatchdog
check: The farm, on one of its servers :: Get-OfficeWebAppsFarm
check: The server's health, on itself :: Get-OfficeWebAppsMachine
check: The address that SharePoint calls answers :: Test-NetConnection OFFICEHOST -Port 443

[office-online-powerpoint] PowerPoint of Office Online Server and Office Web Apps
does: shows and edits presentations in the browser; its workers convert them
needs: conversion workers that start and draw; memory; its working and cache folders; in SharePoint 2010, its service application
namespace: Microsoft.Office.Server.Powerpoint.Pipe, Microsoft.Office.Server.Powerpoint.Web
category: powerpoint front end, powerpoint web services
check: The server's health, on itself :: Get-OfficeWebAppsMachine
check: The settings of its conversion service, such as UseGDIPlus :: Get-Content 'C:\Program Files\Microsoft Office Web Apps\PPTConversionService\Settings_Service.ini'
check: Its working folders, and when they changed :: Get-ChildItem C:\ProgramData\Microsoft\OfficeWebApps\Working | Select-Object Name, LastWriteTime

[office-online-watchdog] Watchdogs of Office Online Server
does: test the parts of the server and report them as unhealthy
needs: the farm that the server is in; assemblies of the same build with binding redirects; the server's own address
namespace: Microsoft.Office.Web.RtcWatchdog, Microsoft.Office.Web.Common.Watchdog, Microsoft.Office.Server.Powerpoint.Watchdog, Microsoft.Rtc
text: Rtc2Watchdog, RtcWatchdog, watchdog callback
process: rtcwatchdog
check: The server's health, on itself :: Get-OfficeWebAppsMachine
check: Redirects of the watchdogs :: Get-ChildItem 'C:\Program Files\Microsoft Office Web Apps' -Recurse -Filter *Watchdog*.config | Select-String bindingRedirect
check: The newest reports of the watchdogs :: Get-WinEvent -LogName 'Microsoft Office Web Apps' -MaxEvents 20

[wopi] WOPI: SharePoint's side of Office Online
does: gives Office Online Server the file, its rights and its lock
needs: bindings of the right zone; a proof key; OAuth over http only where allowed
namespace: Microsoft.SharePoint.SoapServer.Wopi, Microsoft.SharePoint.Utilities.SPWOPI
category: wopi
text: wopi.ashx, WOPIFrame, WOPI
check: The bindings :: Get-SPWOPIBinding | Select-Object Application, Action, ServerName, WopiZone
check: The zone :: Get-SPWOPIZone
check: Suppressed file types :: Get-SPWOPISuppressionSetting

[publishing] Publishing
does: page layouts, navigation, approval and variations of sites
needs: publishing features; approved files; the accounts of the object cache
namespace: Microsoft.SharePoint.Publishing
category: publishing, web content management
text: PublishingWeb, page layout
check: The publishing features of a site :: Get-SPFeature -Site URL
check: @site
check: @rows

[object-cache] Object cache of publishing
does: keeps pages and navigation in memory, read with two accounts
needs: Portal Super User and Portal Super Reader accounts as claims, with policies of the web application
namespace: Microsoft.SharePoint.Publishing.CachedObject, Microsoft.SharePoint.Publishing.CachedArea
category: publishing cache
text: super user account, super reader account, portalsuper, object cache
check: The two accounts of the web application :: Get-SPWebApplication URL | Select-Object -ExpandProperty Properties
check: Its policies :: Get-SPWebApplication URL | Select-Object -ExpandProperty Policies
check: @rows

[blob-cache] BLOB cache
does: keeps pictures, scripts and styles on the disk of each web server
needs: the folder that web.config names, with full control for the pool; space; published files
namespace: Microsoft.SharePoint.Publishing.BlobCache
category: blob cache
text: BLOB cache, BlobCache
denied: The account of the web application's pool has no full control of the folder of the BLOB cache, or of the folder named, on this server.
check: Whether it is on, and its folder :: fastctl webconfig check FOLDER
check: Rights on the folder :: icacls FOLDER
check: @space

[navigation] Navigation
does: builds menus from sites, pages and terms
needs: publishing or metadata features; rights on the targets
namespace: Microsoft.SharePoint.Navigation, Microsoft.SharePoint.Publishing.Navigation, Microsoft.SharePoint.Publishing.Internal.CodeBehind.AreaNavigationSettingsPage
category: navigation
text: PortalSiteMapProvider
check: The nodes of the web: code fails where a level has none :: Get-SPWeb URL | Select-Object Url, @{n='Global'; e={$_.Navigation.GlobalNodes.Count}}, @{n='Current'; e={$_.Navigation.QuickLaunch.Count}}
check: The features of a site :: Get-SPFeature -Site URL
check: @proxies

[navigation-pages] Navigation of publishing sites: webs and their pages
does: reads the webs and the Pages library of each to build menus
needs: a web that knows its Pages library, also where a language or an upgrade gave it another address
namespace: Microsoft.SharePoint.Publishing.Navigation.PortalSiteWebSiteMapNode, Microsoft.SharePoint.Publishing.Navigation.PortalWebSiteMapNode
check: The web knows its Pages library :: Get-SPWeb URL | Select-Object Url, @{n='Pages'; e={[Microsoft.SharePoint.Publishing.PublishingWeb]::GetPublishingWeb($_).PagesListName}}
check: Its lists and their addresses :: Get-SPWeb URL | Select-Object -ExpandProperty Lists | Select-Object Title, RootFolder
check: The features of a site :: Get-SPFeature -Site URL

[records] Records management
does: retention, record declaration, the records center and its reports
needs: record libraries; its features; its jobs
namespace: Microsoft.Office.RecordsManagement
category: records center, records management, information policy
text: RecordsManagement, Records Center
check: The libraries of the site :: Get-SPWeb URL | Select-Object -ExpandProperty Lists | Select-Object Title, BaseTemplate
check: @jobs
check: The features of a site :: Get-SPFeature -Site URL

[document-management] Document sets, IDs and the content organizer
does: number, group and route documents
needs: its features; its jobs; the drop-off library
namespace: Microsoft.Office.DocumentManagement
category: document management, content organizer
text: DocumentSet, Document ID
check: The features of a site :: Get-SPFeature -Site URL
check: @jobs
check: @site

[document-conversion] Document conversions
does: converts documents into pages, in SharePoint 2010
needs: the load balancer and launcher services
namespace: Microsoft.HtmlTrans
category: document conversions
text: HtmlTrLoadBalancer, HtmlTrLauncher
process: microsoft.office.server.conversions
check: @instances
check: @jobs
check: @space

[discovery] eDiscovery and holds
does: find and keep content for a case
needs: search; the eDiscovery center; Exchange where mailboxes are searched
namespace: Microsoft.Office.Server.Discovery
category: ediscovery
text: eDiscovery
check: @proxies
check: @jobs
check: @token

[exchange] Connection with Exchange
does: shows tasks and site mailboxes, and searches mailboxes
needs: trust between the servers; the Exchange web services address; mail addresses in profiles
namespace: Microsoft.Exchange, Microsoft.Office.Server.WorkManagement
category: exchange, work management, site mailbox
text: EWS, site mailbox, Exchange Web Services
check: @token
check: @realm
check: The address answers from this server :: Test-NetConnection EXCHANGE -Port 443

[hybrid] Hybrid with Microsoft 365
does: takes users to sites and profiles in the cloud, and trusts its tokens
needs: outgoing HTTPS; the token signing certificate uploaded; the realm of the tenant; the proxy of access control
namespace: Microsoft.Online
category: hybrid
text: SPO365, OneDrive for Business, tenant realm
check: Where links to the cloud lead :: Get-SPO365LinkSettings
check: @realm
check: @token

[education] Education services
does: courses of SharePoint 2013
needs: its service; the User Profile service
namespace: Microsoft.Office.Education
category: education
check: @instances
check: @proxies
check: @jobs

[portal-server] Office Server, shared code
does: code that service applications of SharePoint Server share
needs: the service application of the row
generic: yes
namespace: Microsoft.Office.Server
check: @applications
check: @proxies
check: @servers

"""##,
    ]
}
