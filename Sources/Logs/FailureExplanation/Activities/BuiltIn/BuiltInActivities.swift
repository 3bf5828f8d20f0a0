// swift-format-ignore-file
// Written by Scripts/embed-rules: change the files in Rules/Activities, then "make rules".

/// The texts of Rules/Activities, without the comments.
enum BuiltInActivities {
    static let texts: [StaticString] = [
        ##"""

@jobs = What timer jobs ran and how they ended :: Get-SPTimerJob | Sort-Object LastRunTime | Select-Object Name, LastRunTime, IsDisabled
@instances = The service is Online where it should run :: Get-SPServiceInstance | Sort-Object TypeName | Select-Object Server, TypeName, Status
@applications = The service application and its pool :: Get-SPServiceApplication | Select-Object DisplayName, TypeName, Status, ApplicationPool
@databases = The databases exist and answer :: Get-SPDatabase | Select-Object Name, Server, Exists, NeedsUpgrade
@content = The content databases and their states :: Get-SPContentDatabase | Select-Object Name, Server, Status, NeedsUpgrade, CurrentSiteCount, MaximumSiteCount
@servers = Builds of all servers are the same :: Get-SPServer | Where-Object Role -ne Invalid | Select-Object Name, Role, Status, NeedsUpgrade
@product = What is installed, and what is missing where :: Get-SPProduct
@accounts = Managed accounts and when their passwords change :: Get-SPManagedAccount | Select-Object UserName, AutomaticChange, PasswordExpiration
@account = Whether the account is locked or its password has expired :: net user ACCOUNT /domain
@iispools = The application pools of IIS are started :: Get-IISAppPool | Select-Object Name, State
@timer = The timer and administration services run :: Get-Service SPTimerV4, SPAdminV4
@upgradelogs = The newest logs of upgrades and of the wizard :: Get-ChildItem 'C:\Program Files\Common Files\microsoft shared\Web Server Extensions\*\LOGS\*' -Include Upgrade*, PSCDiagnostics* | Sort-Object LastWriteTime
@shell = The shell administrators of the configuration database :: Get-SPShellAdmin
@missing = What sites refer to and the farm lacks :: Test-SPContentDatabase -Name DATABASE -WebApplication URL
@site = The site, its owner, lock and database :: Get-SPSite URL | Select-Object Url, Owner, ReadOnly, ReadLocked, ContentDatabase
@urls = The addresses of the web applications and their zones :: Get-SPAlternateURL
@space = Free space of the drives :: Get-PSDrive -PSProvider FileSystem
@sts = How the token service is set up, with its signing certificate :: Get-SPSecurityTokenServiceConfig
@issuer = The trusted identity provider, its realm, claims and certificate :: Get-SPTrustedIdentityTokenIssuer
@token = Who may send tokens for apps and servers :: Get-SPTrustedSecurityTokenIssuer | Select-Object Name, RegisteredIssuerName, NameId
@realm = The realm of the farm :: Get-SPAuthenticationRealm
@roots = What SharePoint trusts :: Get-SPTrustedRootAuthority | Select-Object Name, Certificate
@claims = The claim providers and whether they are enabled :: Get-SPClaimProvider | Select-Object DisplayName, IsEnabled, IsVisible, AssemblyName
@provider = How the zone signs users in, with the provider's name :: Get-SPAuthenticationProvider -WebApplication URL -Zone Default
@domain = A domain controller is found :: nltest /dsgetdc:DOMAIN
@smtp = The mail server answers from this server :: Test-NetConnection SMTPSERVER -Port 25
@mailset = What the web application sends mail with :: Get-SPWebApplication URL | Select-Object OutboundMailServiceInstance, OutboundMailSenderAddress
@webconfig = What is wrong in web.config :: fastctl webconfig check FOLDER
@rows = The same request from its beginning :: fastctl logs trace CORRELATION LOGS


[create-farm] creating the farm and its configuration database
of: psconfig
frame: SPFarm.Create, SPConfigurationDatabase.Provision
text: Failed to create the configuration database
usually: The account that creates the farm lacks the server roles dbcreator and securityadmin on the SQL Server instance.
usually: A configuration database of this name is left from an earlier attempt.
usually(sql:262): The account that creates the farm lacks the server role dbcreator on the instance.
usually(sql:15247): The account that creates the farm lacks the server role securityadmin on the instance.
usually(sql:1801): A configuration database of this name is left from an earlier attempt.
usually(sql:18456): The account that creates the farm has no login on the instance.
check: SQL Server answers from this server; an alias has a port of its own :: Test-NetConnection SQLSERVER -Port 1433
check: The aliases of this server :: reg query HKLM\SOFTWARE\Microsoft\MSSQLServer\Client\ConnectTo
check: @upgradelogs

[join-farm] joining this server to the farm
of: psconfig
frame: SPFarm.Join
text: Failed to connect to the configuration database
usually: The passphrase is not the farm's.
usually: The products and patches of this server are not those of the farm's other servers.
usually(refusal): The account that runs the wizard is no local administrator of this server, or no db_owner of the configuration database.
usually(sql:18456): The account that runs the wizard has no login on the instance of the configuration database.
usually(sql:4060): The name of the configuration database is wrong, or the account has no user in it.
check: @product
check: SQL Server answers from this server; an alias has a port of its own :: Test-NetConnection SQLSERVER -Port 1433
check: @upgradelogs

[connect-farm] creating the farm or connecting this server with it, in the configuration wizard
of: psconfig
frame: ConfigurationDatabaseTask
text: Task configdb has failed
text: friendlyMessage for task configdb
text: debugMessage for task configdb
usually: The account that runs the wizard lacks rights on the SQL Server instance or in the configuration database: dbcreator and securityadmin for a new farm, db_owner to join one.
usually(sql:18456): The account that runs the wizard has no login on the instance.
usually(sql:4060): The configuration database that the registry of this server names is not there, or the account has no user in it.
check: Which configuration database this server belongs to :: Get-ItemProperty 'HKLM:\SOFTWARE\Microsoft\Shared Tools\Web Server Extensions\*\Secure\ConfigDB' | Select-Object dsn
check: @product
check: @upgradelogs

[stsadm-command] running the command stsadm
generic: yes
of: stsadm
frame: SPStsAdmin
usually(FileNotFoundException): There is no farm yet, as when setup starts stsadm while it installs SharePoint together with updates (slipstream), where it can be passed over; or an assembly is missing on this server.
usually(refusal): The account is no local administrator, the prompt is not elevated, or the account has no rights in the configuration database.
usually(sql:4060): The configuration database that the registry of this server names is not there, or the account has no user in it.
check: Which farm this server belongs to; before a farm is made, none :: Get-ItemProperty 'HKLM:\SOFTWARE\Microsoft\Shared Tools\Web Server Extensions\*\Secure\ConfigDB' -ErrorAction SilentlyContinue | Select-Object dsn
check: @product
check: @shell

[open-farm] opening the farm that this server belongs to
of: farm
frame: SPFarm.FindLocal, SPFarm.Open
usually: The account of the process has no rights in the configuration database.
usually(refusal): The account of the process may not read SharePoint's registry key on this server, or has no rights in the configuration database.
usually(sql:4060): The account of the process has no user in the configuration database, or the database is not there.
usually(sql:18456): The account of the process has no login on the instance of the configuration database.
check: The shell administrators of the configuration database :: Get-SPShellAdmin
check: Which configuration database this server belongs to :: Get-ItemProperty 'HKLM:\SOFTWARE\Microsoft\Shared Tools\Web Server Extensions\*\Secure\ConfigDB' | Select-Object dsn
check: Whether the account is in SharePoint's local group :: Get-LocalGroupMember -Group WSS_WPG

[wizard-services] registering SharePoint's services, in the configuration wizard
of: psconfig
text: Task services has failed
text: Failed to register SharePoint services
usually(refusal): The account that runs the wizard is no local administrator of this server.
usually(sql:229): The account that runs the wizard is no db_owner of the configuration database.
usually(SPUpdatedConcurrencyException): Another server's wizard or an old configuration cache on this server changed the same object: run the wizard on one server at a time.
usually(absence): An assembly of a service that is registered in the farm is not installed on this server.
check: @product
check: @servers
check: @upgradelogs

[wizard-secure] setting rights on SharePoint's files, registry and Windows services, in the wizard
of: psconfig
text: Task secureresources has failed
usually(refusal): The account that runs the wizard is no local administrator, or a file or registry key has an owner who shut administrators out.
usually(absence): A folder or file that the wizard secures is missing on this server, such as the log folder that the farm's settings name.
usually(IdentityNotMappedException): An account of the farm, or one of the groups WSS_WPG and WSS_ADMIN_WPG, cannot be resolved from this server.
check: Folder of the logs, which must exist on each server :: Get-SPDiagnosticConfig | Select-Object LogLocation
check: The members of SharePoint's local group :: Get-LocalGroupMember -Group WSS_ADMIN_WPG
check: @upgradelogs

[wizard-admin] creating or removing the web application of Central Administration
of: psconfig
text: Task adminvs has failed
usually(refusal): The account that runs the wizard is no local administrator of this server, which IIS requires.
usually(sql:262): The account that runs the wizard lacks dbcreator, which the content database of Central Administration needs.
usually(sql:1801): A content database of Central Administration with this name is left from an earlier attempt.
check: The sites of IIS on this server and their ports :: Get-IISSite
check: @iispools
check: @upgradelogs

[merge-web-config] writing SharePoint's entries into the web.config of a web application
of: web-config
frame: SPAspConfigurationFile.ApplyActionToXmlDocument, SPAspConfigurationFile.MergeWebConfig
usually: The web.config has something where SharePoint expects an element of its own, such as comments or entries by hand, or is not well-formed.
usually(NullReferenceException): The web.config of a web application has comments where SharePoint merges its entries, known of SharePoint 2013; Microsoft's advice is to remove the comments. Or an element that SharePoint expects is missing.
usually(XmlException): The web.config of a web application on this server, or a webconfig.*.xml that is merged into it, is not well-formed.
usually(refusal): The account may not write to the folder of the web application's IIS site.
check: Comments in the files, in the folders that IIS has by default :: Select-String -Path 'C:\inetpub\wwwroot\wss\VirtualDirectories\*\web.config' -Pattern '<!--'
check: What is wrong in the files :: fastctl webconfig check FOLDER
check: The folder of each zone :: Get-SPWebApplication URL | Select-Object -ExpandProperty IisSettings

[wizard-content] copying files of SharePoint to the folders of the web applications
of: psconfig
frame: ApplicationContentTask
text: Failed to install the application content files
text: Task applicationcontent has failed
usually(absence): The folder that the farm records for an IIS site of a web application does not exist on this server.
usually(refusal): The account that runs the wizard may not write to the folder of a web application's IIS site.
usually(IOException): A file in the folder of a web application is in use.
check: The folder of each zone :: Get-SPWebApplication URL | Select-Object -ExpandProperty IisSettings
check: The sites of IIS on this server and their folders :: Get-Website | Select-Object Name, PhysicalPath, State
check: @upgradelogs

[wizard-upgrade-job] waiting for the upgrade that the timer service does, in the configuration wizard
of: upgrade
text: The exclusive inplace upgrader timer job failed
text: SPTIMERV4 is not running anymore
usually: The timer service ended or could not upgrade: its account, the farm account, is not db_owner of every database, or its password in Windows is old.
usually: The upgrade itself stopped at an object that Upgrade-*-error.log of the same time names.
check: @upgradelogs
check: The timer service and its account :: Get-CimInstance Win32_Service -Filter "Name='SPTimerV4'" | Select-Object State, StartName
check: @databases

[wizard-upgrade] upgrading the farm, in the configuration wizard
generic: yes
of: upgrade
frame: UpgradeTask
text: Task upgrade has failed
text: SyncUpgradeTimerJob
usually: The upgrade itself stopped: its own log Upgrade-*-error.log of the same time names the object and the cause, the wizard does not.
usually: The products and patches of this server are not those of the farm's other servers.
usually(refusal): The account that upgrades is no db_owner of a database, or no local administrator of this server.
check: @upgradelogs
check: @product
check: @databases


[upgrade-types] loading the classes that upgrades consist of
of: upgrade
frame: SPActionSequence.LoadUpgradeActions
usually: An assembly with upgrade steps, or one that it needs, is missing on this server or of another version; the upgrade log names it. On a new server it is mostly one of WCF Data Services 5.6, whose installer was a blocked file.
usually(ReflectionTypeLoadException): An assembly with upgrade steps, or one that it needs, is missing on this server or of another version; the upgrade log names it. On a new server it is mostly one of WCF Data Services 5.6, whose installer was a blocked file.
usually(absence): The assembly that the row or the upgrade log names is missing on this server: that of a prerequisite not installed whole, or of an add-on.
check: What could not be loaded, by the upgrade logs of this server :: Select-String -Path 'C:\Program Files\Common Files\microsoft shared\Web Server Extensions\*\LOGS\Upgrade*.log' -Pattern 'Could not load'
check: What is installed, compared with another server :: Get-ItemProperty HKLM:\SOFTWARE\Microsoft\Windows\CurrentVersion\Uninstall\* | Select-Object DisplayName, DisplayVersion
check: @upgradelogs

[needs-upgrade] finding out which objects of the farm need an upgrade
of: upgrade
frame: SPContentDatabaseSequence.GetSiteNeedsUpgrade, SPContentDatabaseSequence.AddNextLevelObjects, SPContentDatabaseSequence.get_NeedsUpgrade, SPContentDatabaseSequence.get_CanUpgrade, SPContentDatabaseSequence.get_IsBackwardsCompatible, SPContentDatabaseSequence2.AddNextLevelObjects, SPContentDatabaseSequence2.get_NeedsUpgrade, SPContentDatabaseSequence2.get_CanUpgrade, SPContentDatabaseSequence2.get_IsBackwardsCompatible, SPDatabaseSequence.AddNextLevelObjects, SPDatabaseSequence.get_NeedsUpgrade, SPDatabaseSequence.get_CanUpgrade, SPDatabaseSequence.get_IsBackwardsCompatible, SPFarmSequence.AddNextLevelObjects, SPFarmSequence.get_NeedsUpgrade, SPFarmSequence.get_CanUpgrade, SPFarmSequence.get_IsBackwardsCompatible, SPServerSequence.AddNextLevelObjects, SPServerSequence.get_NeedsUpgrade, SPServerSequence.get_CanUpgrade, SPServerSequence.get_IsBackwardsCompatible, SPConfigurationDatabaseSequence.AddNextLevelObjects, SPConfigurationDatabaseSequence.get_NeedsUpgrade, SPConfigurationDatabaseSequence.get_CanUpgrade, SPConfigurationDatabaseSequence.get_IsBackwardsCompatible, SPSiteWssSequence.AddNextLevelObjects, SPSiteWssSequence.get_NeedsUpgrade, SPSiteWssSequence.get_CanUpgrade, SPSiteWssSequence.get_IsBackwardsCompatible, SPSiteWssSequence2.AddNextLevelObjects, SPSiteWssSequence2.get_NeedsUpgrade, SPSiteWssSequence2.get_CanUpgrade, SPSiteWssSequence2.get_IsBackwardsCompatible, SPSiteSequence.AddNextLevelObjects, SPSiteSequence.get_NeedsUpgrade, SPSiteSequence.get_CanUpgrade, SPSiteSequence.get_IsBackwardsCompatible, SPWebTemplateSequence.AddNextLevelObjects, SPWebTemplateSequence.get_NeedsUpgrade, SPWebTemplateSequence.get_CanUpgrade, SPWebTemplateSequence.get_IsBackwardsCompatible, SPSiteSequence.get_PreviousTargetSchemaVersion
usually: A database of the farm does not answer, or the account that asks has no rights in it.
usually(sql:229): The account that asks lacks its rights in a database of the farm.
usually(sql:4060): A database that the farm knows is not there, or the account that asks has no user in it.
usually(sql:4294967294): SQL Server answered too slowly: a database has very many sites, others hold locks, or the disks are slow.
usually(absence): The farm has an object of a product or solution whose assembly this server lacks, or an IIS site of a web application is missing on this server.
check: @databases
check: @product
check: @upgradelogs

[needs-upgrade-tree] finding out which objects of the farm need an upgrade
generic: yes
of: upgrade
frame: SPUpgradeSession.NeedsUpgrade, SPUpgradeSession.ReflexiveNeedsUpgrade, SPServerProductInfo.DetectLocalUpgradeStatus
usually: A database of the farm does not answer, or the account that asks has no rights in it.
usually(sql:229): The account that asks lacks its rights in a database of the farm.
usually(sql:4060): A database that the farm knows is not there, or the account that asks has no user in it.
usually(absence): The farm has an object of a product or solution whose assembly this server lacks, or an IIS site of a web application is missing on this server.
check: @databases
check: @product
check: @upgradelogs

[product-versions] finding out which products and patches of SharePoint this server has
of: psconfig
frame: SPProductVersionJobDefinition, SPServerProductInfo
usually(refusal): The farm account may not start Windows Installer (MSIServer) through DCOM, or may not read what is installed on this server.
usually(hresult:0x80070005): The farm account may not start Windows Installer (MSIServer) through DCOM on this server.
check: What is installed, and what is missing where :: Get-SPProduct
check: DCOM errors of this server :: Get-WinEvent -FilterHashtable @{LogName='System'; ProviderName='Microsoft-Windows-DistributedCOM'} -MaxEvents 20
check: The job that asks for it :: Get-SPTimerJob job-admin-product-version

[upgrade-job] running the upgrade in the timer service
generic: yes
of: upgrade
frame: SPUpgradeJobDefinition
usually: The upgrade stopped at an object that its own log Upgrade-*-error.log of the same time names.
usually(refusal): The farm account, as which the job runs, lacks a right on a database or on a file of this server.
check: @upgradelogs
check: @databases
check: @servers

[upgrade-farm] upgrading the configuration database and objects of the farm, or checking whether they need it
generic: yes
of: upgrade
frame: SPFarmSequence, SPServerSequence, SPConfigurationDatabaseSequence
usually(refusal): The account that upgrades is no db_owner of the configuration database, or no local administrator of this server.
usually(sql:229): The account that upgrades is no db_owner of the configuration database.
usually(SPUpdatedConcurrencyException): An old configuration cache on this server, or an upgrade on another server at the same time, changed the same object.
usually(absence): The farm has an object of a product or solution whose assembly this server lacks.
check: @product
check: @upgradelogs
check: @servers

[upgrade-content-database] upgrading a database, or checking whether it needs it
of: upgrade
frame: SPContentDatabaseSequence, SPContentDatabaseSequence2, SPDatabaseSequence
usually: The database has orphaned or damaged rows, or refers to site definitions that the farm lacks; the log Upgrade-*-error.log names the step.
usually(sql:229): The account that upgrades is no db_owner of the database.
usually(sql:9002): The upgrade changes large tables and filled the database's transaction log.
usually(sql:1105): The upgrade changes large tables, and the files of the database cannot grow.
usually(sql:4294967294): A change of a large table took longer than the time-out: the disks are slow, or other jobs hold locks.
usually(sql:3906): The database is read-only.
check: @upgradelogs
check: @missing
check: @content

[upgrade-site] upgrading a site collection or a site of it, or checking whether it needs it
of: upgrade
frame: SPSiteWssSequence, SPSiteWssSequence2, SPWebTemplateSequence, SPUpgradeSiteCollectionJobDefinition, SPUpgradeWorkItemJobDefinition
usually: The site refers to features, templates or files that the farm lacks.
usually(refusal): The account that upgrades has no rights in the site, or the site is locked.
usually(absence): The site refers to a setup file or an assembly that this server lacks.
usually(sql:4294967294): The step takes longer than the time-out on this site, which is large.
check: What the farm's own checks of the site say :: Test-SPSite URL
check: The upgrades of sites and their states :: Get-SPSiteUpgradeSessionInfo -ContentDatabase DATABASE -ShowFailed
check: @missing

[upgrade-feature] upgrading a feature
of: solutions
frame: SPFeature.Upgrade
usually(absence): An upgrade step of the feature names a file or an assembly that this server lacks.
usually(NullReferenceException): The upgrade code of the feature expects a list, a web or a setting that this site does not have.
usually(refusal): The account that upgrades the feature has no Full Control on the site.
check: Features of the site and their versions :: Get-SPFeature -Site URL | Select-Object DisplayName, Id, Version
check: Solutions and where they are deployed :: Get-SPSolution | Select-Object Name, Deployed, DeployedServers, LastOperationResult
check: @site

[upgrade-iis] upgrading the IIS sites of the web applications, or checking whether they need it
of: iis-config
frame: SPIisWebSiteWssSequence, SPIisWebSiteWssSequence2, SPIisWebSiteSequence
usually(absence): The IIS site of a web application, its folder or its web.config is missing on this server.
usually(refusal): The account that upgrades is no local administrator of this server, and may not read the settings of IIS.
usually(XmlException): The web.config of a web application on this server is not well-formed.
check: The sites of IIS on this server and their folders :: Get-Website | Select-Object Name, PhysicalPath, State
check: @webconfig
check: @upgradelogs


[timer-start] reading the farm's job definitions for the timer service
of: timer-jobs
frame: SPTimerStore
usually: The timer service does not reach the configuration database, or its account has no rights there.
usually(absence): A job is of a class whose assembly this server lacks.
usually(refusal): The account of the timer service may not read SharePoint's registry key, or not write to the configuration cache of this server.
check: The timer service, its state and account :: Get-CimInstance Win32_Service -Filter "Name='SPTimerV4'" | Select-Object State, StartName
check: @databases
check: When the cache folder of this server last changed :: Get-ChildItem C:\ProgramData\Microsoft\SharePoint\Config

[timer-job] running a timer job
generic: yes
of: timer-jobs
frame: SPTimerJobInvokeInternal
text: The Execute method of job definition
usually(refusal): The farm account, as which the timer service runs jobs, lacks the right on the object, file or database of the row.
usually(absence): The job refers to an assembly, file or site that this server does not have.
check: @jobs
check: If the job's class is not Microsoft's: the solution that it is from; its maker knows what newer versions correct :: Get-SPSolution | Select-Object Name, SolutionId, Deployed, DeployedServers
check: When the timer service began: it keeps the assemblies that it has loaded :: Get-Process OWSTIMER | Select-Object StartTime
check: @timer

[config-cache] refreshing this server's copy of the farm's configuration
of: persisted
frame: SPConfigurationDatabase.RefreshCache, SPConfigurationRefreshJobDefinition, SPFileSystemCache
usually(refusal): The account of the timer service may not write to the configuration cache on this server.
usually(IOException): A virus scanner or a backup holds files of the configuration cache.
usually(XmlException): A file in the configuration cache of this server is damaged.
usually(sql:229): The account of the timer service lacks its rights in the configuration database.
check: When the cache folder of this server last changed :: Get-ChildItem C:\ProgramData\Microsoft\SharePoint\Config
check: Rights on the cache folder :: icacls C:\ProgramData\Microsoft\SharePoint\Config
check: Exclusions of Windows Defender, if it is in use :: Get-MpPreference | Select-Object ExclusionPath

[config-object] reading or writing the stored properties of a farm object
generic: yes
of: persisted
frame: SPAutoSerializingObject
usually(absence): The farm has an object of a class whose assembly this server lacks: its solution was retracted while its object stayed.
usually(InvalidCastException): The stored object was written by another version of its class, or this process has loaded an older assembly.
check: Solutions and where they are deployed :: Get-SPSolution | Select-Object Name, Deployed, DeployedServers, LastOperationResult
check: When the timer service began: it keeps the assemblies that it has loaded :: Get-Process OWSTIMER | Select-Object StartTime
check: @servers


[admin-job] setting up the service instances of this server, in an Application Server job
generic: yes
of: admin-service
frame: ApplicationServerJob.ProvisionLocalSharedServiceInstances, ApplicationServerAdministrationServiceJob
text: Application Server Administration job failed for service instance
usually: A service instance of the server fails each time the job provisions it: the row names its class and ID.
check: @instances
check: @timer
check: @iispools

[application-server-job] setting up a service instance of this server, in the job Application Server
generic: yes
text: Application Server job failed for service instance
usually: A service instance of the server fails each time the job provisions it: the row names its class and ID.
check: @instances
check: @timer

[service-start] starting or stopping a service of the farm on a server
of: timer-jobs
frame: SPServiceInstanceJobDefinition
usually: The service instance threw while it was provisioned on this server: its own rows before say why.
usually(refusal): The farm account, as which the job runs, lacks local rights that the service needs on this server.
usually(win32:1069): The password of the service's account is not the one in the directory.
check: @instances
check: One-time jobs that wait or are stuck :: Get-SPTimerJob | Where-Object Name -like 'job-service-instance*' | Select-Object Name, Server, Status, LastRunTime
check: @timer

[windows-service] setting up or removing a Windows service of SharePoint on this server
of: admin-service
frame: SPWindowsServiceInstance
usually(refusal): The account that sets the service up is no local administrator of this server.
usually(win32:1069): The password that SharePoint has for the service's account is wrong, or the account may not log on as a service.
usually(win32:1053): The service did not report in time that it runs: it fails while it starts, and its own log says why.
usually(win32:1060): The Windows service is not installed on this server.
usually(win32:1072): The service is being deleted while a console still holds it open.
usually(win32:1058): The Windows service is disabled on this server.
check: The services of SharePoint, their states and accounts :: Get-CimInstance Win32_Service -Filter "Name LIKE 'SP%'" | Select-Object Name, State, StartMode, StartName
check: @account
check: @instances

[process-identity] giving services and pools their account on all servers
of: managed-accounts
frame: SPProcessIdentity.Deploy
usually: The timer or administration service does not run on a server that has the service or pool.
usually(win32:1326): The password that SharePoint has for the account is not the one in the directory.
usually(IdentityNotMappedException): The account does not resolve: it was deleted or renamed in the directory.
usually(refusal): The account that makes the change is no farm administrator, or no local administrator of this server.
check: @accounts
check: @account
check: @timer

[service-application] setting up a service application with its pool and its IIS application
of: wcf
frame: SPIisWebServiceApplication.Provision
usually(refusal): The account that creates it is no farm administrator or no local administrator of this server.
usually(COMException): IIS on this server refused the application or its pool: the administration service does not run, or the settings of IIS cannot be read.
usually(absence): The files of the service, or the IIS site SharePoint Web Services, are missing on this server.
usually(SPDuplicateObjectException): A service application or a pool of this name is left from an earlier attempt.
check: @applications
check: The IIS site SharePoint Web Services is there and started :: Get-IISSite
check: @timer

[service-application-delete] removing a service application
of: wcf
frame: SPIisWebServiceApplication.Unprovision, SPIisWebServiceApplication.Delete
usually(sql:229): The account that removes it may not drop its database.
usually(sql:3702): Other connections still use the database of the service application.
usually(absence): The class of the service application is in an assembly that this server lacks.
usually(InvalidOperationException): Other objects of the farm, such as a proxy, still depend on the service application.
check: @applications
check: The proxies that may still depend on it :: Get-SPServiceApplicationProxy | Select-Object DisplayName, TypeName, Status
check: @databases

[load-balancer] finding a server that runs the called service application
generic: yes
of: topology-service
frame: SPRoundRobinServiceLoadBalancer
text: There are no addresses available for this application
usually: The service of the service application is not started on any server of the farm.
usually: The endpoints failed before, and the load balancer still leaves them out.
usually: The list of endpoints is old: the Application Addresses Refresh Job did not run, or the topology service does not answer.
check: @instances
check: When the addresses were refreshed :: Get-SPTimerJob | Where-Object Name -like '*addresses*' | Select-Object Name, LastRunTime, IsDisabled
check: @iispools

[addresses-refresh] refreshing the addresses of service applications
of: topology-service
frame: SPConnectedServiceApplicationAddressesRefreshJob
usually: The topology service does not answer: the pool SharePoint Web Services System is stopped on its server.
usually(EndpointNotFoundException): The topology service does not answer: the IIS site SharePoint Web Services is stopped on its server, or the port is closed.
usually(SecurityNegotiationException): The certificates by which the farms trust each other were not exchanged, or were renewed on one side.
usually(refusal): The topology service of the other farm does not allow this farm: its ID is not in the permissions of that service application.
check: The topology service and its proxy :: Get-SPTopologyServiceApplicationProxy
check: The port of the web services answers :: Test-NetConnection APPSERVER -Port 32844
check: @iispools

[service-activation] starting a web service (WCF) in its application pool
of: wcf
frame: SPServiceHostOperations, ServiceMemoryGates.Check
text: Memory gates checking failed
text: WebHost failed to process a request
usually(InsufficientMemoryException): The server has less free memory than the share, by default 5 percent, that WCF demands before it starts a service.
usually(ConfigurationErrorsException): The web.config of the service, or one above it in IIS, is not valid on this server.
usually(absence): The service's assembly, or one that it needs, is not on this server.
usually(refusal): The account of the pool may not read the farm's configuration: its rights in the database or the group WSS_WPG are missing.
check: Free memory of the server, in KB :: Get-CimInstance Win32_OperatingSystem | Select-Object FreePhysicalMemory, FreeVirtualMemory
check: Which accounts the pools of services run as :: Get-SPServiceApplicationPool | Select-Object Name, ProcessAccountName
check: @servers


[create-database] creating or setting up a database of SharePoint
of: sql
frame: SPDatabase.Provision, SPContentDatabase.Provision
usually: The account that creates the database lacks dbcreator and securityadmin on the instance: in Central Administration this is the farm account.
usually(sql:262): The account that creates the database lacks dbcreator on the instance: in Central Administration this is the farm account.
usually(sql:15247): The account that creates the database lacks securityadmin on the instance.
usually(sql:1801): A database of this name exists already, often from an earlier attempt.
usually(sql:1807): Another session uses the model database of the instance, of which each new database is a copy.
usually(sql:5133): The default folder for database files of the instance does not exist.
usually(sql:2714): The database is not empty: its tables exist from an earlier attempt.
check: @databases
check: SQL Server answers from this server; an alias has a port of its own :: Test-NetConnection SQLSERVER -Port 1433
check: Whether the account is dbcreator, asked in SQL Server: SELECT IS_SRVROLEMEMBER('dbcreator', 'ACCOUNT').

[attach-database] adding a content database to a web application
of: content-database
frame: SPContentDatabaseCollection.Add
usually: A copy of this database, with the same database ID, is attached to the farm already.
usually: The database comes from a version that this one cannot upgrade directly, or from a newer build than this farm's.
usually(sql:4060): The database is not on this instance, or the account that attaches it has no user in it.
usually(sql:229): The account that attaches the database is no db_owner of it.
usually(sql:3906): The database is read-only and needs an upgrade.
check: @content
check: @missing
check: The build of the farm :: Get-SPFarm | Select-Object BuildVersion

[grant-process] giving the account of a process its rights in the content databases
of: content-database
frame: SPWebApplication.GrantAccessToProcessIdentity
usually: The account that runs it is not in securityadmin of the instance, or no db_owner of the content databases.
usually(sql:15063): The account is a database's owner (dbo) already, and cannot become a second user of it.
usually(sql:15401): The account does not exist in the directory under this name.
usually(sql:229): The account that runs it is no db_owner of a content database of the web application.
check: @content
check: @accounts

[move-site] moving sites between content databases
of: content-database
frame: SPContentDatabase.Move
usually: The target database is on another SQL Server instance, or belongs to another web application.
usually(sql:9002): The copy of the site filled the transaction log of the target database.
usually(sql:1105): The files of the target database cannot grow.
usually(sql:229): The account that moves the site is no db_owner of both databases.
check: @content
check: @site
check: Whether either database uses remote BLOB storage :: Get-SPContentDatabase DATABASE | Select-Object -ExpandProperty RemoteBlobStorageSettings

[database-cleanup] removing old rows from a content database
of: content-database
frame: SPChangeLogJobDefinition, SPAuditLogTrimmingJobDefinition, SPActivitiesAutoCleanJobDefinition, SPFileFragmentsTableCleanupJobDefinition
usually(sql:4294967294): So many rows have gathered that the job cannot remove them within the time-out.
usually(sql:1205): Other jobs or a backup worked on the same tables; the job tries again on its next run.
usually(sql:9002): The transaction log of the database is full.
usually(sql:3906): The content database is read-only.
check: @jobs
check: @content
check: Whether the job runs while backups or maintenance of the databases run.

[rbs-enable] reading or changing the settings of remote BLOB storage of a content database
of: rbs
frame: SPRemoteBlobStorageSettings
usually: The RBS client is not installed on this server, or not registered for this content database.
usually(absence): The RBS client library is not installed on this server.
usually(sql:208): The tables of RBS are not in this database: the provider was never installed into it.
usually(sql:2812): The procedures of RBS are not in this database: the provider was never installed into it.
usually(sql:229): The account that runs it is no db_owner of the content database.
check: Whether RBS is on for a database :: Get-SPContentDatabase DATABASE | Select-Object -ExpandProperty RemoteBlobStorageSettings
check: The provider on this server :: reg query HKLM\SOFTWARE\Microsoft\Windows\CurrentVersion\Uninstall /s /f "Remote Blob"

[rbs-store] reading or writing a file in remote BLOB storage
of: rbs
frame: SqlRemoteBlob, SqlRemoteBlobContext
usually: The store that the provider writes to cannot be reached from this server.
usually(absence): The provider's library is not installed on this server, while the database uses it.
usually(sql:229): The process account has no EXECUTE on the schema mssqlrbs of the content database.
usually(refusal): The process account has no rights on the share or folder of the store.
check: The provider on this server :: reg query HKLM\SOFTWARE\Microsoft\Windows\CurrentVersion\Uninstall /s /f "Remote Blob"
check: Whether RBS is on for a database :: Get-SPContentDatabase DATABASE | Select-Object -ExpandProperty RemoteBlobStorageSettings


[backup-farm] backing up or restoring the farm or a part of it
of: backup
frame: SPBackupRestoreConsole, SPFarm.OnBackup, SPFarm.OnPrepareBackup
text: failed in event OnBackup
text: failed in event OnPrepareBackup
text: failed in event OnRestore
text: failed in event OnPostRestore
usually: An object of the farm failed: spbackup.log or sprestore.log in the backup folder names it with its error.
usually(refusal): The folder must be a share that the farm account, the SQL Server service account and the user of the command may write to.
usually(sql:3201): The account of the SQL Server service cannot write to the backup share: the path is local to this server, or the account has no rights.
usually(sql:3013): SQL Server could not write or read the file of the backup: see the first error of SQL Server in spbackup.log.
usually(absence): The class of an object is in an assembly that this server lacks, or the folder of the backup is not there.
check: The history of a folder :: Get-SPBackupHistory -Directory FOLDER
check: Rights on the share :: icacls FOLDER
check: @timer

[backup-database] backing up or restoring a database, as part of a farm backup
of: backup
frame: SPDatabase.OnBackup, SPDatabase.OnPrepareBackup, SPDatabase.OnRestore, SPDatabase.OnPostRestore
usually: The account of the SQL Server service cannot reach or write to the folder of the backup.
usually(sql:3201): The account of the SQL Server service cannot open the file: the path is local to the web server, or the account has no rights on the share.
usually(sql:3154): A database of this name exists and is not the one in the backup: restore it with overwriting or under a new name.
usually(sql:3169): The backup comes from a newer SQL Server than this instance.
usually(sql:3101): Other connections use the database that is being restored.
usually(sql:4294967294): SQL Server took longer than the time-out, because the database is large or the share is slow.
check: Rights on the share :: icacls FOLDER
check: The account of the SQL Server service, on its server :: Get-CimInstance Win32_Service -Filter "Name LIKE 'MSSQL%'" | Select-Object Name, StartName
check: @databases

[backup-site] backing up a site collection into a file
of: backup
frame: SPSiteCollection.Backup
usually(refusal): The account that backs up has no rights in the site's content database, or may not write to the folder.
usually(sql:229): The account that backs up lacks its rights in the site's content database.
usually(IOException): The drive of the file, or that of the TEMP folder of the account, has no space left, or the file is in use.
check: @site
check: @space
check: The shell administrators of the content database :: Get-SPShellAdmin -Database (Get-SPContentDatabase DATABASE)

[restore-site] restoring a site collection from a file
of: backup
frame: SPSiteCollection.Restore, SPCmdletRestoreSite
text: SPCmdletRestoreSite
usually: No content database can take the site: its original is in the only one, or all are full or offline.
usually: The backup was made on a newer build than this farm's, or in a version that this one does not read.
usually: A site at this address exists, and the restore may not overwrite it.
usually(win32:3): The folder of the file is not there on this server; or what an earlier site or restore left is at the address: the farm's configuration has the site, its content database has not.
usually(win32:3): Where address and file are right, the build of this farm may not fit the backup, or lack an update: SharePoint 2013 without the updates of its first year has failed so.
usually(refusal): The account that restores is no farm administrator, or has no rights in the content database.
usually(IOException): The drive of the TEMP folder of the account has no space left.
check: @content
check: The build of the farm :: Get-SPFarm | Select-Object BuildVersion
check: Whether a site is at the address :: Get-SPSite URL | Select-Object Url, ID, ContentDatabase
check: Removed site collections that are still kept :: Get-SPDeletedSite

[snapshot] making a snapshot of a database
of: content-database
frame: SPDatabaseSnapshotCollection.CreateSnapshot
usually: The edition of SQL Server has no database snapshots, which before SQL Server 2016 SP1 only Enterprise had.
usually(sql:262): The account that makes the snapshot lacks dbcreator on the instance.
usually(sql:1105): The disk of the snapshot's file is full.
check: @databases
check: Which edition the instance is, asked in SQL Server: SELECT SERVERPROPERTY('Edition').


[web-application] creating or setting up a web application
of: iis-config
frame: SPWebApplicationBuilder.Create, SPWebApplication.Provision, SPWebApplication.ProvisionGlobally
usually(refusal): The account that creates it is no farm administrator or no local administrator of the web server.
usually(sql:262): The account that creates its content database lacks dbcreator: in Central Administration this is the farm account.
usually(SPDuplicateObjectException): A web application or an application pool of this name is registered in the farm already.
usually(COMException): IIS on this server refused the site or its pool: the settings of IIS cannot be read or written.
check: The web applications and their pools :: Get-SPWebApplication -IncludeCentralAdministration | Select-Object Url, ApplicationPool, Status
check: The sites of IIS on this server and their bindings :: Get-IISSite
check: @timer

[web-application-delete] removing a web application or one of its zones
of: iis-config
frame: SPWebApplication.Unprovision, SPWebApplication.UnprovisionGlobally
usually(refusal): The account that removes it is no farm administrator or no local administrator of the web server.
usually(IOException): A file in the folder of the IIS site is in use.
usually(COMException): IIS on this server refused the change: its settings cannot be read or written.
check: The sites of IIS on this server and their folders :: Get-Website | Select-Object Name, PhysicalPath, State
check: @timer

[iis-pool] changing IIS (sites, application pools) or other settings of a server
of: iis-config
frame: SPAdministrationOperation, SPMetabaseManager, SPApplicationPool.Provision
usually: The SharePoint Administration service (SPAdminV4) on this server does not run.
usually(hresult:0x80005000): The IIS 6 Metabase Compatibility of Windows, through which SharePoint reads IIS, is missing on this server.
usually(hresult:0x80070005): The process has no administrator's rights in IIS, and the SharePoint Administration service did not do it for it.
usually(refusal): The process has no administrator's rights in IIS on this server.
usually(win32:1326): The password that SharePoint has for the pool's account is not the one in the directory.
check: @timer
check: @iispools
check: The Windows features of IIS 6 compatibility :: Get-WindowsFeature Web-Mgmt-Compat, Web-Metabase

[web-config] applying changes of code to web.config
of: web-config
frame: SPWebService.ApplyWebConfigModifications, SPWebConfigFileChanges
text: web configuration modification operation is already running
usually: The job of an earlier change still runs or is stuck, and SharePoint makes one such change at a time.
usually: The path or name of a change is no valid XPath for the web.config of the web application.
usually(refusal): The account that applies the changes is no farm administrator: features do it only in Central Administration, the timer or the console.
usually(XmlException): The web.config on a server is not well-formed.
usually(SPUpdatedConcurrencyException): Two features changed the web application at the same time.
check: The changes that are registered :: Get-SPWebApplication URL | Select-Object -ExpandProperty WebConfigModifications | Select-Object Owner, Path, Name
check: The job that applies them :: Get-SPTimerJob | Where-Object Name -like '*webconfig*' | Select-Object Name, Server, Status, LastRunTime
check: @webconfig

[alternate-url] changing the alternate access mappings
of: addresses
frame: SPAlternateUrlCollection.Add, SPAlternateUrlCollection.Update
usually: Another web application or zone has this address already.
usually(refusal): The account that changes the mappings is no farm administrator.
check: @urls


[managed-account] registering a managed account or changing its password
of: managed-accounts
frame: SPManagedAccount.ChangePassword, SPManagedAccount.SetPassword, SPNetApi32.NetUserChangePassword
usually: The password that SharePoint has stored is not the one in the directory.
usually(refusal): The account may not change its own password in the domain, where it is marked as not changeable by the user.
usually(win32:86): The password that SharePoint has stored is not the one in the directory.
usually(win32:1326): The password is wrong.
usually(win32:2245): The new password breaks the domain's rules: length, complexity, history or minimum age.
usually(win32:2221): The account does not exist in the domain.
usually(win32:1355): No domain controller of the account's domain answers.
usually(win32:1909): The account is locked in the directory.
check: @accounts
check: @account
check: The rules of the domain for passwords :: net accounts /domain

[password-job] changing the passwords of managed accounts on schedule
of: managed-accounts
frame: SPPasswordManagementJobDefinition
usually: The password that SharePoint has stored for an account is not the one in the directory.
usually(SmtpException): The notice of a password change could not be sent: the farm's outgoing mail does not work.
usually(refusal): An account may not change its own password in the domain, where it is marked as not changeable by the user.
check: @accounts
check: @account
check: @timer

[credential-key] encrypting or decrypting the passwords in the farm's configuration
of: credential-key
frame: SPCredentialManager, SPEncryptedString
usually: The key of the farm in this server's registry is missing, or is not the farm's current one.
usually(refusal): The account of the process may not read the key of the farm in the registry of this server.
usually(CryptographicException): The key of the farm in this server's registry is not the one with which the password was encrypted.
check: Who may read the key, and whether it is there :: Get-Acl 'HKLM:\SOFTWARE\Microsoft\Shared Tools\Web Server Extensions\*\Secure\FarmAdmin'
check: Whether the account is in a group that may read it :: Get-LocalGroupMember -Group WSS_ADMIN_WPG
check: @accounts

[migrate-user] moving the rights of a user or group to another account
of: names
frame: SPFarm.MigrateUserAccount, SPFarm.MigrateGroup, SPWebApplication.MigrateUsers
usually: The new account does not resolve under the name that was given; with claims the name needs its prefix.
usually: The SID history of the new account lacks the old account, while the move checks it.
usually(refusal): The account that moves users is no farm administrator, or lacks rights in the content databases.
usually(sql:4294967294): The change in a large content database took longer than the time-out.
check: The users of a site as SharePoint knows them :: Get-SPUser -Web URL
check: @provider


[token-issue] issuing a token, in SharePoint's token service
of: sign-in
frame: SPSecurityTokenService.Issue, SPSecurityTokenService.GetOutputClaimsIdentity
usually(CryptographicException): The account of the token service's pool may not read the private key of the signing certificate.
usually(refusal): The account of the token service's pool lacks its rights in the configuration database or on SharePoint's registry key.
usually(TimeoutException): A directory or claim provider that the token service asks took too long.
check: @sts
check: @claims
check: @iispools

[token-request] asking SharePoint's token service for a token
of: sign-in
frame: SPSecurityContext.SecurityTokenForContext, SPSecurityContext.SecurityTokenForOnBehalfOfContext, SPSecurityContext.GetProcessSecurityTokenForServiceContext
text: An exception occurred when trying to issue security token
usually(EndpointNotFoundException): The IIS site SharePoint Web Services or its port 32843 on this server does not answer.
usually(ServerTooBusyException): The pool SecurityTokenServiceApplicationPool on this server is stopped.
usually(ServiceActivationException): The token service cannot start on this server: too little memory, or an error in its web.config.
usually(MessageSecurityException): Windows or anonymous authentication is off for SecurityTokenServiceApplication in IIS on this server.
usually(FaultException): The token service got the request and failed: its own rows of the same moment say why.
check: @iispools
check: The port of the token service answers on this server :: Test-NetConnection localhost -Port 32843
check: @sts

[windows-claims] turning a Windows sign-in into a claims token
of: sign-in
frame: SPWindowsClaimsAuthenticationHttpModule
usually(ServerTooBusyException): The pool SecurityTokenServiceApplicationPool on this server is stopped.
usually(EndpointNotFoundException): The IIS site SharePoint Web Services or its port 32843 on this server does not answer.
usually(FaultException): The token service failed for this user: its own rows of the same moment say why.
usually(refusal): The account of the pool lacks the right "Impersonate a client after authentication" on this server.
check: @iispools
check: @provider
check: @domain

[forms-signin] signing a user in with a name and password, or showing the form for it
of: forms
frame: SPClaimsUtility.AuthenticateFormsUser, SPSecurityContext.SecurityTokenForFormsAuthentication, FormsSignInPage
text: Password check on '
usually: The web.config of the token service has no membership provider of this name with the settings of the web application's.
usually: The name or password is wrong, or the user is locked in the provider's directory.
usually(FaultException): The membership provider failed or refused in the token service: its own rows of the same moment say why.
usually(EndpointNotFoundException): The token service on this server does not answer.
check: The provider in the web.config of the token service :: Select-String -Path 'C:\Program Files\Common Files\microsoft shared\Web Server Extensions\*\WebServices\SecurityToken\web.config' -Pattern PROVIDER
check: @provider
check: @iispools

[ldap-provider] asking the LDAP membership or role provider for users and groups
of: forms
frame: LdapMembershipProvider, LdapRoleProvider
usually: Server, container, filter or key attribute of the provider in web.config do not fit the directory.
usually(DirectoryServicesCOMException): The account or the container in the provider's settings is not accepted by the directory.
usually(hresult:0x8007203A): The directory server of the provider's settings does not answer from this server.
usually(hresult:0x8007052E): The user name or password in the provider's settings is wrong; without one, the pool's account is refused.
usually(LdapException): The directory server of the provider's settings refused the connection or does not answer.
check: The directory answers from this server :: Test-NetConnection DC -Port 389
check: @webconfig
check: @provider

[sql-provider] asking a membership or role provider that keeps users in SQL Server
of: forms
frame: SqlMembershipProvider, SqlRoleProvider
usually: The account of the pool, also that of the token service, has no user and role in the membership database.
usually(sql:4060): The account of the pool, also that of the token service, has no user in the membership database.
usually(sql:18456): The account of the pool, also that of the token service, has no login for the membership database.
usually(sql:229): The account of the pool lacks the roles aspnet_Membership_* and aspnet_Roles_* in the membership database.
usually(sql:2812): The database of the connection string has no tables and procedures of aspnet_regsql.
check: The connection string and the provider in all web.config files :: Get-ChildItem C:\inetpub\wwwroot\wss\VirtualDirectories -Filter web.config -Recurse | Select-String connectionString
check: Which accounts the pools of services run as :: Get-SPServiceApplicationPool | Select-Object Name, ProcessAccountName

[trusted-signin] signing a user in with the token of a trusted identity provider
of: sign-in
frame: WSFederationAuthenticationModule.SignInWithResponseMessage, SPFederationAuthenticationModule.SignInWithResponseMessage, SPFederationAuthenticationModuleV2.SignInWithResponseMessage
usually: The token lacks the identifier claim that the trusted provider in SharePoint names.
usually: The identity provider signs with another certificate than the one that SharePoint's trusted provider has.
usually(wif:4175): The identity provider signs with a certificate that SharePoint's trusted provider does not have, often after a renewal.
usually(wif:4037): The identity provider signs with a certificate that SharePoint does not have, often after a renewal.
usually(wif:1038): The realm in the identity provider's settings is not the one of SharePoint's trusted provider.
usually(SecurityTokenExpiredException): The clocks of SharePoint and of the identity provider differ, or the token came too late.
usually(FaultException): SharePoint's token service refused the token: its own rows of the same moment say why.
check: @issuer
check: @roots
check: The clock agrees with the domain's :: w32tm /query /status

[token-issuer] finding the trusted provider that issued a token
of: sign-in
frame: SPPassiveIssuerNameRegistry
usually: The certificate that signed the token is not the one of the trusted provider in SharePoint, often after a renewal at the identity provider.
usually: The zone of the address does not use the trusted provider that issued the token.
check: @issuer
check: @provider

[token-cache] reading or writing sign-in tokens in the distributed cache
of: distributed-cache
frame: SPDistributedSecurityTokenCache, SPDistributedSecurityTokenCacheV2, SPDistributedSecurityTokenCacheInitializer
text: Token Cache: Failed to
usually: It is usual for a moment after a start; if it goes on, Distributed Cache does not answer from this server: its service is down on the hosts, or the ports 22233 to 22236 are closed.
usually(DataCacheException): Distributed Cache does not answer from this server in time.
check: A cache host answers :: Test-NetConnection CACHEHOST -Port 22233
check: @instances

[cache-channel] opening or using a channel of the cache service
of: distributed-cache
frame: WcfServerChannel
usually: The hosts of the cache do not reach each other: the ports 22233 to 22236 are closed, or a host of the cluster configuration is gone.
usually(NullReferenceException): A fault of AppFabric 1.1, by which the cache service crashes now and then; its cumulative update 7 (KB3092423) corrects it.
check: The version of AppFabric's files on each host :: Get-ChildItem 'C:\Program Files\AppFabric 1.1 for Windows Server\Microsoft.ApplicationServer.Caching*.dll' | Select-Object -ExpandProperty VersionInfo
check: Whether the service ended unexpectedly :: Get-WinEvent -FilterHashtable @{LogName='System'; ProviderName='Service Control Manager'} -MaxEvents 500 | Where-Object Message -like '*AppFabric*'
check: A cache host answers :: Test-NetConnection CACHEHOST -Port 22233

[token-app-principal] finding the app principal of a token and its permissions
of: app-auth
frame: SPAppRequestContext.EnsureTenantPermissions
usually: The app principal in the token is not registered in this site, or under another realm than the farm's.
usually(hresult:0x80004003): The site has no app principal with the ID in the token; a row before (Cannot get app principal permission information) has the ID and the realm.
usually(refusal): The app principal has no permission here, or the call has no user and the permission is not one for add-ins alone.
check: The app principal, by the ID in that row :: Get-SPAppPrincipal -NameIdentifier APPID -Site URL
check: @realm
check: @rows

[claim-encoding] encoding or decoding a user's name as a claim
of: claims
frame: SPClaimEncodingManager, SPClaimProviderManager.DecodeClaim
usually: The name is not in the form of encoded claims, such as i:0#.w|DOMAIN\user, but a plain login name or the name of a group.
usually(ArgumentException): The name is not in the form of encoded claims, such as i:0#.w|DOMAIN\user.
check: The users of the site as SharePoint knows them :: Get-SPUser -Web URL
check: Whether the web application uses claims :: Get-SPWebApplication URL | Select-Object Url, UseClaimsAuthentication
check: The claim types of the farm and their characters :: Get-SPClaimTypeEncoding

[claims-augment] adding claims of a claim provider to the token of a user
of: claims
frame: SPClaimProviderOperations.ClaimsForEntity
usually: The directory or service that a claim provider asks at each sign-in does not answer this server.
usually(absence): The assembly of a custom claim provider is not on this server.
usually(DirectoryServicesCOMException): The directory refused the question of a claim provider.
usually(TimeoutException): The directory of a claim provider takes longer than sign-in may wait.
check: @claims
check: @domain

[claims-search] asking claim providers for users, groups or claims
of: people-picker
frame: SPClaimProviderOperations.Search, SPClaimProviderOperations.Resolve
text: claim provider when calling SPClaimProvider.
usually: The claim provider that the row names failed: the directory or service it asks does not answer from this server, or refuses the account; or the provider itself has a fault.
usually(absence): The assembly of a custom claim provider is not on this server.
usually(refusal): The account of the pool lacks a right on what the claim provider reads, such as the directory.
usually(hresult:0x8007203A): The domain controller that the claim provider asks does not answer from this server.
check: @claims
check: What the people picker of the web application is set to :: Get-SPWebApplication URL | Select-Object -ExpandProperty PeoplePickerSettings
check: @domain

[entracp-search] asking the claim provider AzureCP or EntraCP for users, groups or claims
of: ldapcp
text: AzureCP claim provider when calling SPClaimProvider.
text: EntraCP claim provider when calling SPClaimProvider.
usually: Microsoft Graph does not answer from this server, or refuses the application in the provider's settings.
usually: The installed version of the provider may have a fault that a newer one corrects.
usually(clr:0x80131530): Microsoft Graph did not answer before the request was ended, for instance because of a proxy, a firewall or a slow network.
usually(clr:0x80131530): The installed version may have a fault that a newer one corrects: by its maker, EntraCP 22.0.20230927 has one that fails so in the people picker, and 23.0 corrects it.
usually(absence): An assembly of the provider, or one that it needs, is not on this server, or machine.config lacks the bindingRedirect for it.
usually(refusal): The application in the provider's settings lacks a permission in Microsoft Graph, or its secret or certificate has expired.
usually(TimeoutException): Microsoft Graph does not answer from this server in time.
check: The installed version, to compare with the list of changes of its maker :: Get-ChildItem C:\Windows\Microsoft.NET\assembly\GAC_MSIL -Recurse -Include ldapcp*.dll, azurecp*.dll, Yvand*.dll | Select-Object -ExpandProperty VersionInfo
check: Microsoft Graph answers from this server :: Test-NetConnection graph.microsoft.com -Port 443
check: @claims

[ldapcp-search] asking the claim provider LDAPCP for users, groups or claims
of: ldapcp
text: LDAPCP claim provider when calling SPClaimProvider.
text: LDAPCPSE claim provider when calling SPClaimProvider.
usually: A directory in the settings of LDAPCP does not answer from this server, or refuses the account in them.
usually: The installed version of the provider may have a fault that a newer one corrects.
usually(clr:0x80131530): A directory in the settings of LDAPCP did not answer before the request was ended.
usually(absence): An assembly of the provider is not on this server.
usually(refusal): The account in the settings of LDAPCP, or that of the pool, may not read the directory.
usually(hresult:0x8007203A): A domain controller that LDAPCP asks does not answer from this server.
check: @claims
check: @domain
check: The installed version, to compare with the list of changes of its maker :: Get-ChildItem C:\Windows\Microsoft.NET\assembly\GAC_MSIL -Recurse -Include ldapcp*.dll, azurecp*.dll, Yvand*.dll | Select-Object -ExpandProperty VersionInfo

[people-search] searching or resolving users in the domain, as for the people picker
of: people-picker
frame: SPActiveDirectoryPrincipalResolver, SPUserUtility.SearchAgainstAD
text: Error in searching user '
text: Error in resolving user '
usually: A domain or forest that the people picker searches has no domain controller that answers from this server.
usually(refusal): Over a one-way trust the pool's account may not read the other domain: peoplepicker-searchadforests needs an account, setapppassword a key on each server.
usually(hresult:0x8007203A): A domain controller that the people picker asks does not answer from this server.
usually(hresult:0x8007052E): The account in peoplepicker-searchadforests has another password now.
usually(hresult:0x8007200A): The directory has no such attribute, or the pool's account may not read it.
usually(win32:1355): No domain controller of a trusted domain is found from this server.
check: What the people picker of the web application is set to :: Get-SPWebApplication URL | Select-Object -ExpandProperty PeoplePickerSettings
check: Domain controllers of the domain are found :: nltest /dsgetdc:DOMAIN
check: Global catalogs answer :: Test-NetConnection DC -Port 3268

[windows-identity] turning the claims of a user into a Windows token
generic: yes
of: sign-in
frame: SPSecurityContext.GetWindowsIdentity
text: valid windows identity for
usually: The Windows token cache of this server has no token of the user, and the Claims to Windows Token Service gave none.
check: @rows
check: @provider
check: The Claims to Windows Token Service, and under which account it runs :: Get-CimInstance Win32_Service -Filter "Name='c2wts'"

[windows-token-cache] asking the Windows token cache of the Security Token Service for the token of a user
of: windows-token-cache
frame: SPWindowsTokenCacheServiceApplication, SPWindowsTokenCacheServiceApplicationProxy
text: from the windows token cache service
text: SPWindowsTokenCacheServiceApplication.GetUserHandle() could not find token
usually: The user has no token there: an account of a service, such as NETWORK SERVICE, or somebody who did not sign in at this server through Windows claims. If the request goes on, the row is harmless.
usually(EndpointNotFoundException): The token service does not answer on this server: the IIS site SharePoint Web Services, its port 32844, or the pool SecurityTokenServiceApplicationPool.
usually(ServerTooBusyException): The pool SecurityTokenServiceApplicationPool on this server is stopped.
check: @rows
check: @provider
check: @iispools

[c2wts] asking the Claims to Windows Token Service for a Windows token of a user
of: c2wts
frame: S4UClient
text: UPN is required when Kerberos constrained delegation is used
usually: The Claims to Windows Token Service does not run on this server.
usually: The user has no Windows account, or signed in over forms or a trusted provider without a UPN that the domain knows.
usually(EndpointNotFoundException): The Windows service c2wts does not run on this server.
usually(refusal): The caller is not listed in c2wtshost.exe.config, or not in the group WSS_WPG that is listed there.
usually(SecurityTokenException): The account of c2wts lacks its user rights, or the domain does not know the user's UPN.
check: The service runs, and under which account :: Get-CimInstance Win32_Service -Filter "Name='c2wts'"
check: Who may call it :: Select-String -Path 'C:\Program Files\Windows Identity Foundation\v3.5\c2wtshost.exe.config' -Pattern 'add value'
check: @instances

[app-request] checking the token of an add-in or of another server
of: app-auth
frame: SPApplicationAuthenticationModule, SPSecurityContext.SecurityTokenForApplicationAuthentication
text: SPApplicationAuthenticationModule: Failed to
usually: The realm or the issuer in the token is not registered in this farm as it stands there.
usually: No user profile, or more than one, fits the user in the token.
usually(SecurityTokenExpiredException): The token is too old, or the clocks of the servers differ.
usually(wif:1038): The address or realm for which the token was issued is none of this farm's.
check: @token
check: @realm
check: The clock agrees with the domain's :: w32tm /query /status

[app-token] reading, writing or validating an app token
of: app-auth
frame: SPJsonWebSecurityTokenHandler, SPJsonWebSecurityBaseTokenHandler, SPJsonWebSecurityTokenHandlerV2
usually: The token's issuer is no trusted security token issuer of this farm: its ID or realm differs, or its certificate was renewed.
usually(SecurityTokenExpiredException): The token is too old, or the clocks of the servers differ.
usually(wif:4037): The issuer's signing certificate in this farm is not the one that signed the token.
usually(wif:1038): The realm or host for which the token was issued is not this farm's.
check: @token
check: @realm
check: @urls

[oauth-request] fetching an access token from Microsoft's access control or another token service
of: adal
frame: OAuth2S2SClient
usually: The token service cannot be reached from this server: its proxy, firewall or TLS settings stand in the way.
usually(http:401): The client ID or secret is wrong or has expired.
usually(http:400): The token service does not accept the realm, the resource or the refresh token of the request.
usually(sentence:1): A root certificate of the token service's chain is not trusted on this server.
usually(sentence:5): This server cannot resolve the address of the token service.
check: The sign-in address answers from this server :: Test-NetConnection accounts.accesscontrol.windows.net -Port 443
check: The proxy of the machine account :: netsh winhttp show proxy
check: @realm

[app-principal] reading or changing the principals of apps and their rights
of: app-auth
frame: SPAppPrincipalManager
usually: The App Management service application or its proxy is missing, or its service is not started.
usually(EndpointNotFoundException): The App Management service does not run on any server that answers.
usually(refusal): The user is no administrator of the site, or the pool's account may not use the App Management service.
check: @applications
check: @instances
check: @realm

[certificate-check] checking the certificate of another server or of a token
of: certificates
frame: SPCertificateValidator
text: the following certificate has validation errors
usually: A root or intermediate certificate of the chain is not among those that SharePoint trusts (Manage trust in Central Administration).
usually: The revocation list of the certificate cannot be reached from this server.
usually: The certificate has expired, or does not bear the name in the address.
check: @roots
check: The chain and its revocation, from this server :: certutil -verify -urlfetch FILE.cer
check: The proxy of the machine account :: netsh winhttp show proxy


[mail-in] processing incoming mails for lists
of: mail-in
frame: SPIncomingEmailJobDefinition
text: processing the incoming e-mail file
text: The Incoming E-Mail service has completed a batch
usually: The address of the mail belongs to no list, the list does not accept mail, or its site is locked.
usually: The sender has no right to add items, and the list takes mail only from those who have.
usually(refusal): The account of the timer service may not read and delete files in the drop folder.
check: The site is not locked, nor over its quota :: Get-SPSite URL | Select-Object Url, ReadOnly, WriteLocked, Quota
check: The mails that wait :: Get-ChildItem C:\inetpub\mailroot\Drop
check: Rights on the drop folder :: icacls C:\inetpub\mailroot\Drop
check: The lists with an address :: Get-SPWeb URL | Select-Object -ExpandProperty Lists | Where-Object CanReceiveEmail | Select-Object Title, EmailAlias

[distribution-groups] looking after pending distribution groups of the directory
of: mail-in
frame: SPPendingDistributionGroupJobDefinition
usually: The account of Central Administration's pool may not create and change objects in the organizational unit of the directory management service.
usually(refusal): The account of Central Administration's pool may not create and change objects in the organizational unit of the directory management service.
usually(hresult:0x80072030): The organizational unit in the settings of incoming mail does not exist.
usually(hresult:0x80071392): The directory has an object of this name already.
check: @domain
check: The organizational unit and its rights, in the settings of incoming mail and in the directory.

[mail-server-name] finding the mail server by its name
of: mail-out
text: Cannot resolve name of SMTP host
usually: The DNS servers of this server do not know the name: another domain's zone needs a forwarder, or the name in the settings is wrong.
check: The name resolves here :: Resolve-DnsName SMTPSERVER
check: The zones and conditional forwarders of the DNS server, if it is one of Windows :: Get-DnsServerZone -ComputerName DNSSERVER
check: @mailset

[send-mail] sending a mail
of: mail-out
frame: SPUtility.SendEmail, SPUtility.SendEmail_Client, SPUtility.ResolveAddressesForEmail, SmtpClient.Send
usually: The mail server refuses mail from this server: it does not relay for its address or for the sender.
usually(SmtpFailedRecipientException): The mail server does not accept the recipient: it does not relay for this server, or the address does not exist.
usually(sentence:5): The name of the mail server does not resolve on this server.
usually(sentence:6): The mail server does not answer this server on its port: a firewall or virus scanner blocks it.
usually(sentence:1): The certificate of the mail server is not trusted on this server, while mail is set to use TLS.
usually(FormatException): An address of the mail is not valid.
check: @mailset
check: @smtp

[alerts-send] sending alerts
of: mail-out
frame: SPImmediateAlertsJobDefinition
usually: The mail server refuses mail from this server or does not answer it.
usually(SmtpException): The mail server refuses mail from the server that runs the job: it does not relay for its address.
usually(absence): The alert templates of the farm name a handler whose assembly this server lacks.
usually(sql:4294967294): So many events wait that the job cannot read them within the time-out.
check: The job and when it ran :: Get-SPTimerJob job-immediate-alerts | Select-Object WebApplication, LastRunTime, IsDisabled
check: @mailset
check: @smtp

[alert-create] creating or changing an alert
of: mail-out
frame: SPAlertCollection.Add, SPAlert.Update
usually: Outgoing mail of the web application is not set up or does not work: the first mail of the alert cannot be sent.
usually: The user has no mail address.
usually(refusal): The user may not create alerts here, or not for others.
check: @mailset
check: Whether alerts are on, and how many a user may have :: Get-SPWebApplication URL | Select-Object AlertsEnabled, AlertsLimited, AlertsMaximum
check: The user's address as the site knows it :: Get-SPUser -Web URL | Select-Object UserLogin, Email


[health-job] running a rule of the Health Analyzer
generic: yes
of: health
frame: SPHealthAnalyzerJobDefinition
usually(refusal): The farm account, as which rules run, lacks the local right or the SQL Server right that the rule needs.
usually(absence): The rule's assembly is not on this server.
usually(sql:229): The farm account lacks the right that the rule needs in a database.
check: The rules, and which are on :: Get-SPHealthAnalysisRule | Select-Object Name, Enabled, Summary
check: @timer

[usage-import] importing, processing or removing usage data
of: usage
frame: SPUsageImportJobDefinition, SPUsageMaintenanceJobDefinition, SPUsageProcessingJobDefinition, SPUsageLogImporter
text: Failed to delete usage log file
usually: The logging database is full, or the import does not keep up with the usage files.
usually(win32:32): In SharePoint 2010, the timer service itself keeps usage files open after the Windows updates KB2775511, KB2682011 or KB2882822; SharePoint's cumulative update of December 2013 corrects it.
usually(sql:1105): The logging database cannot grow: its disk is full, or it has reached its limit.
usually(sql:9002): The transaction log of the logging database is full.
usually(sql:229): The farm account is no db_owner of the logging database.
usually(refusal): The account of the timer service may not read and delete files in the usage log folder of this server.
usually(sql:4294967294): The logging database has grown so large that the import runs into its time-out.
check: The usage application and its database :: Get-SPUsageApplication
check: The build of the farm, to compare with what later updates correct :: (Get-SPFarm).BuildVersion
check: Which events are logged, and how long they are kept :: Get-SPUsageDefinition | Select-Object Name, Enabled, DaysRetained
check: @space

[sql-diagnostics] collecting statistics of SQL Server
of: usage
frame: SPDiagnosticsSqlDmvProvider, SPDiagnosticsBlockingQueryProvider, SPDiagnosticsSqlMemoryProvider, SPDatabaseIOSqlDiagnosticsProvider
usually(sql:300): The farm account has no right VIEW SERVER STATE on the SQL Server instance.
usually(sql:297): The farm account has no right VIEW SERVER STATE on the SQL Server instance.
usually(sql:229): The farm account lacks a right on the instance that the provider needs.
check: The providers and which are on :: Get-SPDiagnosticsProvider | Select-Object Name, Enabled, LastRunTime
check: @databases

[counter-diagnostics] collecting performance counters of servers
of: perf-counters
frame: SPDatabaseServerDiagnosticsPerformanceCounterProvider, SPWebFrontEndDiagnosticsPerformanceCounterProvider
usually: The farm account is not in the local group Performance Monitor Users of the server, or its firewall blocks remote counters.
usually(refusal): The farm account is not in the local group Performance Monitor Users of the server that has the counters.
usually(InvalidOperationException): The server lacks a set of counters that the provider reads, such as those of SQL Server's instance.
check: The providers and which are on :: Get-SPDiagnosticsProvider | Select-Object Name, Enabled, LastRunTime
check: Who may read counters, on the server that has them :: Get-LocalGroupMember -Group 'Performance Monitor Users'

[custom-logging] finding a logging (diagnostics) service in the farm
of: tracing
frame: SPDiagnosticsServiceBase.GetLocal
usually(refusal): The logging service of the custom code is not registered in the farm, and the pool's account may not register it.
usually(SecurityException): The logging service of the custom code is not registered in the farm, and the pool's account may not register it.
check: Solutions and where they are deployed :: Get-SPSolution | Select-Object Name, Deployed, DeployedServers, LastOperationResult
check: The services of the farm, the custom one among them :: Get-SPFarm | Select-Object -ExpandProperty Services | Select-Object TypeName, Name


[open-site] opening a site by its address
generic: yes
of: sites
frame: SPSite..ctor
usually(FileNotFoundException): No web application or site of this farm has the address, or the account of the process cannot read the farm's databases.
usually(refusal): The account of the process has no rights in the site's content database.
check: @urls
check: @site
check: @shell

[create-site] creating a site collection
of: sites
frame: SPSiteCollection.Add, SPSiteCollection.AddInternal, CreateSitePage.BtnCreateSite_Click, SPRequest.CreateSite, SPRequestInternalClass.CreateSite
usually: No content database of the web application takes new sites: all are full or offline.
usually: A site at this address exists already, or the address is below no managed path.
usually(refusal): The account that creates the site has no rights in the content database, or is no farm administrator.
usually(refusal): If every account is refused: the Security Token Service does not answer, as its IIS site SharePoint Web Services or its pool SecurityTokenServiceApplicationPool is stopped.
usually(sql:229): The account that creates the site lacks its rights in the content database.
check: @content
check: The site SharePoint Web Services is started, as are the others :: Get-IISSite | Select-Object Name, State
check: Managed paths of the web application :: Get-SPManagedPath -WebApplication URL
check: The templates and their languages :: Get-SPWebTemplate

[self-service-site] creating a site collection by a user (self-service)
of: sites
frame: SPSite.SelfServiceCreateSite
usually: Self-service site creation is off for the web application.
usually: No content database of the web application takes new sites: all are full or offline.
usually(refusal): The user lacks the permission Use Self-Service Site Creation on the root site, or the web application has no root site.
check: Whether users may create sites :: Get-SPWebApplication URL | Select-Object SelfServiceSiteCreationEnabled
check: @content
check: Managed paths of the web application :: Get-SPManagedPath -WebApplication URL

[create-web] creating a web below a site
of: sites
frame: SPWebCollection.Add
usually: A web, list or folder at this address exists already.
usually: The template is not available in the site or in the language.
usually(refusal): The user may not create subsites here.
usually(absence): A feature or file of the template is missing on this server.
check: The webs of the site :: Get-SPWeb -Site URL -Limit All | Select-Object Url, WebTemplate
check: The templates and their languages :: Get-SPWebTemplate

[apply-template] applying a template to a web
of: sites
frame: SPWeb.ApplyWebTemplate
usually: A feature that the template activates is not installed or fails: an earlier row of the same request names it.
usually: The web has a template already, and takes no second one.
usually(absence): The template, or a file or assembly of one of its features, is missing on this server.
usually(refusal): The account has no Full Control on the web.
check: @rows
check: The template of the web :: Get-SPWeb URL | Select-Object Url, WebTemplate, Configuration
check: Features of the site :: Get-SPFeature -Site URL

[delete-site] deleting a site collection
of: sites
frame: SPSite.Delete, SPSiteCollection.Delete, SPSiteDeletionJobDefinition
usually(sql:4294967294): The site is so large that SQL Server needs longer than the time-out to delete it.
usually(refusal): The site is locked or its database is read-only, or the account has no rights there.
usually(sql:3906): The content database of the site is read-only.
usually(sql:1205): Another process worked on the rows of the site at the same time.
check: @site
check: Deleted sites that still wait :: Get-SPDeletedSite | Select-Object Path, DeletionTime, DatabaseId
check: The job that deletes step by step :: Get-SPTimerJob | Where-Object Name -like '*site-deletion*' | Select-Object WebApplication, LastRunTime, IsDisabled

[delete-web] deleting a web
of: sites
frame: SPWeb.Delete, SPWebCollection.Delete
usually: The web has subsites, which have to be deleted first.
usually: The web is the root of its site collection, which goes only with the whole site collection.
usually(refusal): The user has no Full Control on the web, or the site is locked.
usually(sql:4294967294): A list of the web is so large that deleting runs into the time-out.
check: The webs of the site :: Get-SPWeb -Site URL -Limit All | Select-Object Url, WebTemplate
check: @site

[restore-deleted-site] bringing back a deleted site collection
of: sites
frame: SPDeletedSite.Restore
usually: Another site has taken its address since.
usually: The content database of the deleted site is not attached or is offline.
usually(refusal): The account has no rights in the content database, or is no farm administrator.
check: Deleted sites that can be brought back :: Get-SPDeletedSite | Select-Object Path, DeletionTime, DatabaseId
check: Whether a site is at the address :: Get-SPSite URL | Select-Object Url, ID
check: @content

[recycle-bin-job] emptying the recycle bins
of: content-database
frame: SPRecycleBinCleanupJobDefinition
usually(sql:4294967294): So many items are in the recycle bins that the job runs into its time-out.
usually(sql:1205): Another process worked on the same rows; the job tries again on its next run.
usually(sql:3906): The content database is read-only.
check: @content
check: How long items stay :: Get-SPWebApplication URL | Select-Object RecycleBinEnabled, RecycleBinRetentionPeriod, SecondStageRecycleBinQuota


[virus-scan] having a file scanned by the virus scanner
of: antivirus
text: virus scanner is currently unavailable
usually: The virus scanner that is registered for SharePoint on this web server does not run or does not answer in time.
check: Settings of SharePoint's virus scan :: Get-SPFarm | Select-Object -ExpandProperty Services | Where-Object TypeName -like '*Web Application*' | Select-Object AntivirusSettings
check: The services of the scanner on this server, and its log.

[irm-setup] reading or changing the settings of Information Rights Management
of: irm
frame: SPIrmSettings
text: IRM will not work until the client is configured properly
usually: The client of Active Directory Rights Management Services is not installed on this server, which matters only where rights management is used.
usually: The rights management server does not answer from this server, or its certificate is not trusted here.
usually: The accounts of SharePoint's servers and pools have no Read and Execute on ServerCertification.asmx of the rights management server.
check: The rights management server answers :: Test-NetConnection RMSSERVER -Port 443
check: The chain of its certificate, from this server :: certutil -verify -urlfetch FILE.cer

"""##,
        ##"""

@solutions = Solutions and where they are deployed :: Get-SPSolution | Select-Object Name, Deployed, DeployedServers, LastOperationResult
@features = Features that are active in the site :: Get-SPFeature -Site URL
@webfeatures = Features that are active in the web :: Get-SPFeature -Web URL
@servers = Builds of all servers are the same :: Get-SPServer | Where-Object Role -ne Invalid | Select-Object Name, Role, Status, NeedsUpgrade
@jobs = What timer jobs ran and how they ended :: Get-SPTimerJob | Sort-Object LastRunTime | Select-Object Name, LastRunTime, IsDisabled
@timer = The timer service instances that are Online :: Get-SPServiceInstance | Where-Object TypeName -like '*Timer*' | Select-Object Server, Status
@rows = The same request from its beginning :: fastctl logs trace CORRELATION LOGS
@space = Free space of the drives :: Get-PSDrive -PSProvider FileSystem
@site = The site, its owner, lock and database :: Get-SPSite URL | Select-Object Url, Owner, ReadOnly, ReadLocked, WriteLocked, ContentDatabase
@usage = The quota of the site and what is used of it :: Get-SPSite URL | Select-Object -Property Usage, Quota
@lists = The lists of the web, their addresses and sizes :: Get-SPWeb URL | Select-Object -ExpandProperty Lists | Select-Object Title, RootFolder, ItemCount
@fields = The columns of the list by their internal names :: Get-SPWeb URL | Select-Object -ExpandProperty Lists | Where-Object Title -eq LIST | Select-Object -ExpandProperty Fields | Select-Object InternalName, Title, TypeAsString, Required
@thresholds = Threshold, lookups and the daily window of the web application :: Get-SPWebApplication URL | Select-Object MaxItemsPerThrottledOperation, MaxQueryLookupFields, DailyStartUnthrottledHour
@uploads = The largest upload and blocked file types :: Get-SPWebApplication URL | Select-Object MaximumFileSize, BlockedFileExtensions
@user = The user as the site knows it :: Get-SPUser -Web URL
@groups = The groups of the site, their owners and who may see the members :: Get-SPWeb URL | Select-Object -ExpandProperty SiteGroups | Select-Object Name, Owner, OnlyAllowMembersViewMembership
@types = The content types of the web and where they come from :: Get-SPWeb URL | Select-Object -ExpandProperty AvailableContentTypes | Select-Object Name, Id, FeatureId, ReadOnly, Sealed
@receivers = The receivers of the list :: Get-SPWeb URL | Select-Object -ExpandProperty Lists | Where-Object Title -eq LIST | Select-Object -ExpandProperty EventReceivers
@webconfig = What web.config of the web application lacks :: fastctl webconfig check FOLDER
@applications = The service application and its pool :: Get-SPServiceApplication | Select-Object DisplayName, TypeName, Status, ApplicationPool
@proxies = The proxy is there and in the web application's group :: Get-SPServiceApplicationProxyGroup | Select-Object FriendlyName, Proxies
@workflows = The associations of the list, with author and state :: Get-SPWeb URL | Select-Object -ExpandProperty Lists | Where-Object Title -eq LIST | Select-Object -ExpandProperty WorkflowAssociations | Select-Object Name, Author, Enabled, BaseTemplate
@wfconfig = The address of Workflow Manager that the farm has for a site :: (Get-SPWorkflowServiceApplicationProxy).GetWorkflowServiceAddress((Get-SPSite URL))
@wfport = Workflow Manager answers from this server :: Test-NetConnection WORKFLOWHOST -Port 12290


[query-items] reading the items of a list with a query or a view
of: lists
frame: SPListItemCollection.EnsureListItemsData, SPListItemCollection.EnsureFieldMap, SPListItemCollection.GetDataTable, SPListItemCollection.Undirty, SPListItemCollection.get_Count, SPListItemCollection.GetEnumerator, SPList.GetItems, SPList.GetDataTable, SPQuery
usually: The query or view names a column that the list does not have by this internal name, or no longer has.
usually: The list was deleted, or the user may not read it.
usually(SPQueryThrottledException): The query would read more items than the list view threshold, or more lookup columns than are allowed: no index narrows it down, or the view shows too many lookup, person and metadata columns.
usually(sharepoint:0x81020014): The query names a column by its title or by an internal name of another list: this list has no such column, or the value is not of the column's type.
usually(refusal): The user, or the account of the process, has no right to view the items of the list.
usually(XmlException): The CAML of the query is not well-formed: a character such as & or < in a value is not escaped.
check: @fields
check: @lists
check: @thresholds

[throttled-query] reading or changing more of a list than the thresholds allow
of: lists
text: The attempted operation is prohibited because it exceeds the list view threshold
text: The query cannot be completed because the number of lookup columns it contains exceeds
usually: The list or folder has more items than the list view threshold, and no indexed column narrows the query down first.
usually: The view or query shows more lookup, person, metadata and workflow status columns than are allowed.
check: @thresholds
check: @lists
check: @fields

[read-item-field] reading the value of a column from an item
of: lists
frame: SPFieldMap.GetColumnNumber, SPListItemCollection.GetColumnNumber, SPListItemCollection.GetRawValue, SPListItem.GetValue
usually: The list has no column of this name: code must use the internal name, or the title in the language of the user.
usually: The query that returned the item did not ask for this column (ViewFields).
check: @fields

[reread-item] reading again an item that code has at hand
of: lists
frame: SPListItem.EnsureItemIsValid
usually: The user can no longer read an item that was just saved: an event receiver (ItemAdded, ItemUpdated) or a workflow gave it permissions of its own, or moved or deleted it.
usually: The item is now a draft or not approved, which the user may not see, or somebody else deleted or moved it in the meantime.
usually(refusal): The user can no longer read the item: an event receiver or workflow gave it permissions of its own.
check: @receivers
check: Whether drafts and items that are not approved are hidden :: Get-SPWeb URL | Select-Object -ExpandProperty Lists | Where-Object Title -eq LIST | Select-Object EnableModeration, EnableMinorVersions, DraftVersionVisibility
check: @rows

[find-column] looking up a column of a list or site by its name or ID
of: lists
frame: SPFieldCollection.GetField, SPFieldCollection.GetFieldByInternalName, SPFieldCollection.GetFieldById, SPFieldCollection.GetFieldByDisplayName, SPFieldCollection.get_Item
usually: There is no column of this name: it was renamed or deleted, its title differs by language, or its internal name differs from the title.
usually: The feature that brings the column is not active in this site.
check: @fields
check: @features

[set-item-field] setting a column of an item
of: lists
frame: SPListItem.SetValue, SPListItem.set_Item
usually: The list has no column of this name, or the value is not of the column's type.
usually: The column cannot be written: it is calculated or read-only.
check: @fields

[parse-field-value] reading or making a lookup, person or link value
of: lists
frame: SPFieldLookupValue, SPFieldUserValue, SPFieldUserValueCollection, SPFieldLookupValueCollection, SPFieldUrlValue
usually: The text is not of the form that the value needs, such as number;#name: the column is of another type, or it is empty.
check: @fields
check: @rows

[find-list] opening a list by its title, ID or address
of: lists
frame: SPListCollection.get_Item, SPListCollection.GetListByName, SPListCollection.GetListById, SPListCollection.GetList, SPListCollection.TryGetList, SPWeb.GetList, SPWeb.GetListFromUrl, SPWeb.GetListFromWebPartPageUrl
usually: There is no list of this title or address in this web: it was renamed, its title is in another language, or code opened another web.
usually(refusal): The user, or the account of the process, has no right on the list or on the web.
usually(FileNotFoundException): There is no list at this address: the address must be below the web that the code opened, and be relative to the server.
usually(sharepoint:0x81020026): The list was deleted or lies in another web; a view, web part, lookup column or workflow still refers to it by its ID.
check: @lists

[find-item] opening an item of a list by its ID
of: lists
frame: SPList.GetItemById, SPList.GetItemByIdAllFields, SPList.GetItemByIdSelectedFields, SPList.GetItemByUniqueId
usually: The item was deleted, the ID belongs to another list, or the user may not see the item or its draft.
usually(sharepoint:0x81020016): The item was deleted, or only a draft or a version exists that the user may not see.
usually(refusal): The item or its folder has permissions of its own, and the user has none there.
check: The recycle bin of the site, newest first :: Get-SPSite URL | Select-Object -ExpandProperty RecycleBin | Sort-Object DeletedDate -Descending | Select-Object -First 20 Title, DirName, DeletedByName, DeletedDate
check: @lists

[save-item] saving an item of a list, or a batch of changes
of: lists
frame: SPListItem.Update, SPListItem.UpdateInternal, SPListItem.AddOrUpdateItem, SPRequest.AddOrUpdateItem, SPRequestInternalClass.AddOrUpdateItem, SPListItem.UpdateOverwriteVersion, SPListItem.SystemUpdate, SPWeb.ProcessBatchData
usually: A value does not fit its column: it is required, must be unique, or names a user or item that is not there.
usually: Another user, an event receiver or a workflow changed the item in the meantime.
usually(sharepoint:0x81020037): The item changed between reading and saving: an event receiver, a workflow or a second copy of the item in the same code wrote it.
usually(sharepoint:0x81020015): The item changed between reading and saving: an event receiver, a workflow or a second copy of the item in the same code wrote it.
usually(sharepoint:0x81020089): An event receiver of the list, or of the columns and content types in it, cancelled the change.
usually(sharepoint:0x8102006D): The code writes in a GET request without AllowUnsafeUpdates on the web object that it writes with, or the page was sent without a valid form digest.
usually(sharepoint:0x81020014): A value is not of its column's type, or a column of the list is of a type that is not installed.
usually(refusal): The user has no right to add or edit items here, or the site is locked or read-only.
usually(SPDuplicateValuesFoundException): The column enforces unique values, and another item has this value, perhaps one that the user cannot see.
usually(SPListDataValidationException): The validation formula of the list or of a column does not allow the values.
usually(SPInvalidLookupValuesException): A lookup value names an item that is not in the other list, or that the user cannot see.
usually(SPFileCheckOutException): The document is checked out to another user, or must be checked out before its columns are changed.
usually(SPFileLockException): The document is open for editing with another user, or in another program of the same user.
check: @fields
check: @receivers
check: @site

[delete-item] deleting an item, file, folder or list, or sending it to the recycle bin
of: lists
frame: SPListItem.Delete, SPListItem.DeleteCore, SPListItem.Recycle, SPListItemCollection.Delete, SPListItemCollection.DeleteItemById, SPFile.Delete, SPFile.Recycle, SPFolder.Delete, SPFolder.Recycle, SPList.Delete, SPList.Recycle
usually: The item is a record or on hold, or the document is checked out or open for editing.
usually: The item was deleted already.
usually(refusal): The user has no right to delete here, or the site is locked.
usually(SPQueryThrottledException): The folder or list has more items than the list view threshold.
usually(SPFileLockException): The document is open for editing with another user.
usually(SPFileCheckOutException): The document is checked out to another user.
check: @site
check: @receivers
check: @lists

[restore-item] reading, restoring or deleting what is in the recycle bin
of: lists
frame: SPRecycleBinItem, SPRecycleBinItemCollection
usually: A file or item of the same name is at the old place again, or the folder or list it lay in is gone.
usually: The site has reached its quota.
usually(hresult:0x80070050): A file or folder of the same name is at the old place again.
usually(hresult:0x800700B7): A list of the same title is there again.
usually(SPQueryThrottledException): The list or folder has more items than the list view threshold.
usually(refusal): The user neither deleted the item nor administers the site, or has no right at the old place.
check: The recycle bin of the site, newest first :: Get-SPSite URL | Select-Object -ExpandProperty RecycleBin | Sort-Object DeletedDate -Descending | Select-Object -First 20 Title, DirName, DeletedByName, DeletedDate
check: @usage

[create-list] creating a list or library, or making sure that it exists
of: lists
frame: SPListCollection.Add, SPListCollection.AddInternal, SPListCollection.EnsureSiteAssetsLibrary, SPListCollection.EnsureSitePagesLibrary
usually: The feature that brings the template of the list is not active in this web, or is not installed.
usually(sharepoint:0x81020012): A list of this title is there already; titles of hidden lists count too.
usually(refusal): The user has no right Manage Lists on the web, or the site is locked.
usually(absence): A file of the list's template, such as its schema.xml, is missing from the folder of its feature on this server.
check: @lists
check: @webfeatures
check: The templates of lists that the web has :: Get-SPWeb URL | Select-Object -ExpandProperty ListTemplates | Select-Object Name, Type_Client, FeatureId

[save-template] saving a list or site as a template
of: sites
frame: SPList.SaveAsTemplate, SPWeb.SaveAsTemplate
usually: The template is larger than the limit, 50 MB unless it was raised, because its content is included.
usually: Something in the site refers to a feature, list or file that is missing; sites with publishing active are not supported.
usually(refusal): The user has no right to add to the gallery of templates in the root web of the site.
check: The limit on templates, in bytes :: stsadm -o getproperty -pn max-template-document-size
check: Features of the web, to look for those that are missing :: Get-SPFeature -Web URL

[change-view] reading, changing or showing the views of a list
of: lists
frame: SPViewCollection.Add, SPViewCollection.get_Item, SPViewCollection.GetViewByName, SPView.Update, SPView.RenderAsHtml, SPView.Delete, SPList.GetView, SPList.RenderAsHtml, SPList.RenderListData, SPWeb.GetViewFromUrl
usually: The view does not exist: it was deleted, is personal to another user, or belongs to another list.
usually: The view names a column that the list no longer has.
usually(SPQueryThrottledException): The view would read more items than the list view threshold, or has more lookup, person and metadata columns than are allowed.
usually(refusal): The user may not manage the views of the list, or may not read it.
check: The views of the list :: Get-SPWeb URL | Select-Object -ExpandProperty Lists | Where-Object Title -eq LIST | Select-Object -ExpandProperty Views | Select-Object Title, Hidden, PersonalView, ServerRelativeUrl
check: @fields
check: @thresholds

[query-site] querying several lists and webs at once
of: lists
frame: SPWeb.GetSiteData, SPSiteDataQuery, CrossListQueryCache, CrossListQueryInfo
usually: The query covers a list with more items than the list view threshold, or more lists than a query may (MaxListLimit, 1000 unless it is set).
usually(SPQueryThrottledException): One of the lists has more items than the list view threshold, and the column of the filter is not indexed in it.
usually(FileNotFoundException): The web or site that the query starts at does not exist at this address.
usually(refusal): The account that runs the query may not read the web that it starts at.
check: @lists
check: @thresholds

[list-form] showing or saving columns of an item in a form or page
of: lists
frame: SaveButton, ListFieldIterator, ListFormWebPart, FormField, FormComponent, BaseFieldControl, SPFormContext
usually: A control of the form fails: one of a custom column type, or one whose value in this item is not of the column's type.
usually: The form shows a list, item or content type that is not there, or that the user may not see.
usually(absence): The assembly or the control template of a custom column type is missing on this server.
usually(refusal): The user may not edit this item, or has no right on a list that a lookup column reads.
check: @fields
check: @solutions
check: @rows

[item-versions] reading or restoring versions of an item or file
of: lists
frame: SPListItemVersionCollection, SPListItemVersion, SPFileVersionCollection, SPFileVersion
usually: The version does not exist: versioning is off, or the limit on versions has removed it.
usually(SPFileCheckOutException): The file must be checked out to the user before a version is restored, or is checked out to another.
usually(refusal): The user has no right to view or delete versions.
check: Versioning of the lists :: Get-SPWeb URL | Select-Object -ExpandProperty Lists | Select-Object Title, EnableVersioning, EnableMinorVersions, MajorVersionLimit, ForceCheckout

[attachments] reading, adding or deleting attachments of an item
of: lists
frame: SPAttachmentCollection
usually: Attachments are disabled for the list, or the item has a file of this name already.
usually: The file is larger than the limit, of a blocked type, or its name has characters that are not allowed.
usually(refusal): The user has no right to edit the item.
check: Whether lists take attachments :: Get-SPWeb URL | Select-Object -ExpandProperty Lists | Select-Object Title, EnableAttachments
check: @uploads

[discussion] adding a discussion or a reply
of: lists
frame: SPUtility.CreateNewDiscussion, SPUtility.CreateNewDiscussionReply
usually: The list is no discussion board, or lacks the content types Discussion and Message.
usually(refusal): The user may not add items to the discussion board.
check: Content types of the list :: Get-SPWeb URL | Select-Object -ExpandProperty Lists | Where-Object Title -eq LIST | Select-Object -ExpandProperty ContentTypes | Select-Object Name, Id

[calendar-view] showing a calendar
of: lists
frame: SPCalendarView, SPCalendarBase
usually: A column that the view takes for title, start or end of events is missing in the list, or empty in an item.
usually(SPQueryThrottledException): The calendar has more items than the list view threshold, and its start column is not indexed.
check: @fields
check: @lists

[rss-feed] writing the RSS feed of a list
of: lists
frame: SPList.WriteRssFeed
usually: RSS is disabled for the web application, the site, the web or the list.
usually(SPQueryThrottledException): The list has more items than the list view threshold.
check: Whether the web application allows it :: Get-SPWebApplication URL | Select-Object SyndicationEnabled
check: Whether the web and its lists allow it :: Get-SPWeb URL | Select-Object SyndicationEnabled, AllowRssFeeds

[alert-changes] reading, creating or changing alerts of users
of: mail-out
frame: SPAlertCollection, SPAlert, SPAlertTemplateCollection
usually: The user has no mail address in this site, or has as many alerts as the web application allows.
usually: The list, item or user that the alert is for is gone.
usually(refusal): The user may not create alerts here, or may not create them for others.
check: Whether alerts are on, and how many a user may have :: Get-SPWebApplication URL | Select-Object AlertsEnabled, AlertsLimited, AlertsMaximum
check: The alerts of the web :: Get-SPWeb URL | Select-Object -ExpandProperty Alerts | Select-Object Title, User, Status, List


[save-file] saving a file, or showing the page for uploads
of: files
frame: SPFileCollection.Add, SPFileCollection.AddInternal, SPFile.SaveBinary, SPFile.SaveBinaryInternal, UploadPage
usually: The folder does not exist, or the file is checked out, open for editing or there already.
usually: The file is larger than the web application allows, of a blocked type, or its name or path is too long or has characters that are not allowed.
usually: SQL Server has no space left for the content database or its log.
usually(SPFileLockException): The file is open for editing with another user, or in another program of the same user.
usually(SPFileCheckOutException): The file is checked out to another user, or the library requires a check-out first.
usually(sharepoint:0x81020067): A file of this name is there already, and the caller did not ask to overwrite it.
usually(refusal): The user has no right to add or edit files here, or the site is locked or over its quota.
usually(sql:9002): The transaction log of the content database is full.
usually(sql:1105): The content database cannot grow: its disk is full, or its size is limited.
check: @uploads
check: @usage
check: The size of the content databases :: Get-SPContentDatabase | Select-Object Name, Server, DiskSizeRequired

[open-file] reading the content of a file
of: files
frame: SPFile.OpenBinary, SPFile.OpenBinaryStream, SPFile.GetFileStream, SPFile.OpenFile, SPCoordinatedStreamBuffer, SPCoordinatedStreamBufferFactory
usually: The file is not there: it was deleted, moved or renamed.
usually: The content is not in the content database but in a BLOB store that this server cannot read.
usually(refusal): The user may not open the file, or may see only its published versions.
usually(FileNotFoundException): The file was deleted, moved or renamed, or only a draft exists that the user may not see.
usually(SPFileLockException): The file is open for editing with another user.
check: Whether content is kept in a BLOB store :: Get-SPContentDatabase DATABASE | Select-Object -ExpandProperty RemoteBlobStorageSettings
check: @site

[find-file] finding a file, folder or item by its address
of: files
frame: SPWeb.GetFile, SPWeb.GetFolder, SPWeb.GetFileAsString, SPWeb.GetFileOrFolderObject, SPWeb.GetObject, SPWeb.GetListItem, SPFileCollection.get_Item, SPFolderCollection.get_Item
usually: There is no file or folder at this address, or the address lies outside the web that the code opened.
usually(ArgumentException): The address lies outside the web that the code opened, or is of another form than the call takes: relative to the web, to the server, or full.
usually(FileNotFoundException): There is no file or folder at this address: it was deleted, moved or renamed.
usually(refusal): The user may not read the file or its folder.
check: The address must lie below the web that the code opened; compare it with the addresses of the webs.
check: @lists

[check-in] checking a file out or in, publishing or approving it
of: files
frame: SPFile.CheckOut, SPFile.CheckIn, SPFile.UndoCheckOut, SPFile.Publish, SPFile.UnPublish, SPFile.Approve, SPFile.Deny, SPFile.TakeOffline
usually: The file is checked out to another user, or is not checked out where it must be.
usually: The library has no minor versions or no approval, so that a file in it cannot be published or approved.
usually: A required column of the file is empty.
usually(SPFileCheckOutException): The file is checked out to another user, or nobody has it checked out.
usually(SPFileLockException): The file is open for editing with another user.
usually(refusal): The user has no right to approve items, or to override the check-out of another user.
check: Versioning, approval and check-out of the lists :: Get-SPWeb URL | Select-Object -ExpandProperty Lists | Select-Object Title, EnableMinorVersions, EnableModeration, ForceCheckout

[move-file] moving or copying files and folders
of: files
frame: SPFile.MoveTo, SPFile.CopyTo, SPFolder.MoveTo, SPFolder.CopyTo, SPListItem.CopyTo, SPListItem.CopyFrom, SPMoveCopyUtil
usually: A file of this name is at the target already, or the folder there does not exist.
usually: The target is in another web or site than the call can reach, or the file is checked out or open for editing.
usually(refusal): The user has no right to add at the target, or to delete at the source.
usually(SPFileLockException): The file is open for editing with another user.
check: @lists
check: @usage

[create-folder] creating a folder
of: files
frame: SPFolderCollection.Add, SPFolderCollection.AddInternal
usually: The folder above does not exist, or a folder of this name is there already.
usually: The name has characters that are not allowed, or the path is too long.
usually(refusal): The user has no right to add items here, or the site is locked.
check: @lists
check: @site


[change-column] adding, changing or deleting a column
of: content-types
frame: SPFieldCollection.Add, SPFieldCollection.AddInternal, SPFieldCollection.AddFieldAsXml, SPFieldCollection.AddFieldAsXmlInternal, SPFieldCollection.AddLookup, SPFieldCollection.Delete, SPField.Update, SPField.UpdateInternal, SPField.UpdateCore, SPField.Delete
usually: A column of this name or ID is there already, or the definition of the column is not right: its type, its ID or its list.
usually: The list has no room for another column of this type.
usually(sharepoint:0x81020014): The type of the column is not installed on this server, or its definition is not right.
usually(refusal): The user has no right Manage Lists on the list or Manage Web Site on the web, or the site is locked.
usually(SPDuplicateValuesFoundException): The list has items with the same value, so that the column cannot enforce unique values.
usually(SPQueryThrottledException): The list has more items than the list view threshold: an index or a column cannot be changed while it is so large.
usually(XmlException): The XML of the column's definition is not well-formed.
check: @fields
check: @solutions

[change-content-type] adding, changing or deleting a content type
of: content-types
frame: SPContentType.Update, SPContentType.UpdateChildren, SPContentType.UpdateInternal, SPContentType.Delete, SPContentType.PushDownChanges, SPContentTypeCollection.Add, SPContentTypeCollection.AddContentType, SPContentTypeCollection.AddContentTypeToList, SPContentTypeCollection.Delete, SPFieldLinkCollection
usually: The content type is in use, read-only or sealed; one from the content type hub is changed there.
usually: A content type of this name or ID is there already, or a column that it names is not in this site.
usually(SPContentTypeReadOnlyException): The content type is read-only: it was published by the content type hub, or set so.
usually(SPContentTypeSealedException): The content type is sealed: the feature that brought it allows no changes.
usually(refusal): The user has no right Manage Web Site where the content type lives, or Manage Lists on the list.
check: @types
check: Where the content type is used :: Get-SPWeb URL | Select-Object -ExpandProperty AvailableContentTypes | Where-Object Name -eq NAME | ForEach-Object { [Microsoft.SharePoint.SPContentTypeUsage]::GetUsages($_) }

[missing-definition] reading the definition of a column or content type
of: upgrade-missing
text: Unable to locate the xml-definition for CType
text: Unable to locate the xml-definition for FieldName
text: Failed to find the content type schema
usually: The feature that brought it is no longer installed, or its element files are missing or changed on this server.
check: What the sites of a database refer to and the farm lacks :: Test-SPContentDatabase -Name DATABASE -WebApplication URL | Select-Object Category, Message
check: @solutions
check: @types


[provision-fields] reading or creating the site columns and content types of a feature
of: content-types
frame: SPElementDefinitionCollection.ProvisionFieldsAndContentTypes, SPContentTypeElement, SPFieldElement
usually: A content type of the feature names a column or parent that does not exist yet: it is in a later element file, or in a feature that is not active.
usually: A column or content type of the same name or ID is in the site already, from another feature or by hand.
usually(refusal): The account that activates the feature has no Full Control on the site.
usually(NullReferenceException): A content type of the feature names a column or parent that is not in the site.
usually(sql:2601): A column or content type of the same ID is in the site already.
usually(sql:2627): A column or content type of the same ID is in the site already.
check: The order of the element files in feature.xml: columns before content types, content types before lists.
check: @features
check: @types

[provision-lists] reading or creating the lists of a feature or site template
of: solutions
frame: SPElementDefinitionCollection.ProvisionListInstances, SPElementDefinitionCollection.ProvisionLists, SPListInstanceElement, SPListTemplateElement
usually: The list's template is not there: its feature is not active in this web or not installed, or FeatureId of the list names another one.
usually: A list of this title or address is there already, or a content type or column of its schema is not in the site.
usually(sentence:566): SharePoint does not take the XML of a list, column or view in the feature's files, such as Indexed="TRUE" on a column of type Note, or an attribute or value that the type does not allow.
usually(sentence:566): The list's template, or a content type or column of its schema, is not in the site.
usually(absence): A file of the list's template is missing from the folder of the feature on this server.
usually(refusal): The account that activates the feature may not manage the lists of the web.
check: The columns that the feature's files declare, with their attributes :: Get-ChildItem 'C:\Program Files\Common Files\microsoft shared\Web Server Extensions\16\TEMPLATE\FEATURES\FEATURE' -Recurse -Include *.xml | Select-String -Pattern '<Field '
check: @webfeatures
check: @lists
check: @types

[provision-files] placing the files of a feature or site template in a site
of: solutions
frame: SPElementDefinitionCollection.ProvisionModules, SPModuleElement, SPModule
text: Failed to instantiate file
usually: A file that the module names is not in the folder of the feature on this server.
usually: The file is in the site already and checked out, or the library that the module names does not exist.
usually(absence): A file that the module names is not in the folder of the feature on this server, or the library for it is not in the site.
usually(refusal): The account that activates the feature may not add pages there, such as to the gallery of master pages.
usually(SPFileCheckOutException): The file is in the site already, and checked out to another user.
check: The files in the folder of the feature, here and on another server :: Get-ChildItem 'C:\Program Files\Common Files\microsoft shared\Web Server Extensions\16\TEMPLATE\FEATURES\FEATURE' -Recurse
check: @solutions
check: @webfeatures

[feature-code] running the code of a feature (its receiver)
of: feature-receivers
frame: SPFeature.DoActivationCallout, SPFeature.DoDeactivationCallout, SPFeature.DoUpgradeCallout, SPFeatureReceiver
usually: The code of the receiver fails in a site that is not as it expects: a list, column, page or other feature is missing.
usually: The process has an older version of the assembly loaded, or this server has not got it.
usually(absence): The assembly of the receiver is not on this server, or the process began before it was deployed.
usually(NullReferenceException): The code of the receiver expects something that is not there: a list, a column, a navigation node, or the context of a page, which the console and the timer service do not have.
usually(refusal): The receiver does what the account of this process may not: in a page it is often an object of the farm.
check: @solutions
check: When the timer service began, against the day of the deployment :: Get-Process OWSTIMER | Select-Object StartTime
check: The feature and the assembly that it names :: Get-SPFeature NAME | Select-Object DisplayName, Scope, ReceiverAssembly, ReceiverClass

[load-receiver] loading the assembly of a feature's receiver
of: feature-receivers
frame: SPFeatureDefinition.get_ReceiverObject
text: Failed to create receiver object from assembly
text: Failed to create feature receiver object
text: Failed to load receiver assembly
usually: The assembly of the receiver is not on this server: its solution is not deployed here, or was retracted.
usually(ArgumentNullException): The class that feature.xml names is not in the assembly: it was renamed, or a token of Visual Studio ($SharePoint.Type...$) was not replaced.
usually(TypeLoadException): The class that feature.xml names is not in the assembly: it was renamed, or a token of Visual Studio ($SharePoint.Type...$) was not replaced.
usually: The process has loaded an older version of the assembly, which lacks the class; it keeps it until it restarts.
check: @solutions
check: When the timer service began, against the day of the deployment :: Get-Process OWSTIMER | Select-Object StartTime
check: The feature and the assembly that it names :: Get-SPFeature NAME | Select-Object DisplayName, Scope, ReceiverAssembly, ReceiverClass

[feature-dependency] activating a feature that depends on another one
of: solutions
text: Dependency feature with id
usually: A feature that this one depends on is not installed in the farm, or was not activated before it.
check: The feature and what it depends on :: Get-SPFeature NAME | Select-Object DisplayName, Id, Scope, ActivationDependencies
check: @features
check: @solutions

[feature-activation] activating a feature
of: solutions
frame: SPFeature.Activate, SPFeature.ProvisionElements, SPFeatureCollection.Add, SPFeatureCollection.AddInternal, SPFeatureCollection.AddInternalWithName, SPFeatureManager
text: Feature Activation: Threw an exception
usually: The feature is not installed in the farm, is active already, or is of another scope than the place where it is activated.
usually: A feature that it depends on is not active or not installed.
usually: An element of the feature, or the code of its receiver, fails: the rows before name it.
usually(refusal): The account has no Full Control where the feature is activated; for the scopes web application and farm it must be a farm administrator.
usually(absence): The folder of the feature, its element files or its assembly are missing on this server.
check: The feature, its scope and its solution :: Get-SPFeature NAME | Select-Object DisplayName, Id, Scope, SolutionId, ActivationDependencies
check: @features
check: @rows

[feature-removal] deactivating a feature
of: solutions
frame: SPFeature.Deactivate, SPFeatureCollection.Remove, SPFeatureCollection.RemoveInternal, SPElementDefinitionCollection.UnprovisionElements
usually: The feature is not active there, or its definition is no longer installed in the farm.
usually: The code of its receiver fails, or what the feature brought is in use.
usually(refusal): The account has no Full Control where the feature is active; for the scopes web application and farm it must be a farm administrator.
check: @features
check: @solutions

[feature-switch] activating or deactivating a feature
generic: yes
of: solutions
frame: SPFeature.ActivateDeactivateFeatureAtWeb, SPFeature.ActivateDeactivateFeatureAtSite, SPFeature.ActivateDeactivateFeatureAtWebApplication
usually: The code of the feature's receiver fails, or the feature is not installed in the farm.
usually(refusal): The account has no Full Control where the feature is switched; for the scopes web application and farm it must be a farm administrator.
check: @features
check: @solutions

[feature-definition] reading or installing the definition of a feature
of: solutions
frame: SPFeatureDefinitionCollection, SPFeatureDefinition
text: Failed to find the XML file at location
usually: The folder of the feature, or a file that its feature.xml names, is missing on this server.
usually(absence): The folder of the feature, or a file that its feature.xml names, is missing on this server: its solution is not deployed here, or was retracted.
usually(refusal): The account is no farm administrator.
usually(SPDuplicateObjectException): The feature is installed already.
usually(XmlException): feature.xml or an element file is not well-formed.
check: The folder of the feature on this server :: Get-ChildItem 'C:\Program Files\Common Files\microsoft shared\Web Server Extensions\*\TEMPLATE\FEATURES\FEATURE' -Recurse
check: Features whose definitions are installed :: Get-SPFeature -Limit All | Select-Object DisplayName, Id, Scope, SolutionId
check: @solutions

[feature-installed] installing a feature that the farm has already
of: solutions
text: has already been installed in this farm
usually: A feature of this ID is there already: from an earlier deployment that was not undone, or from another solution with the same ID.
check: Features whose definitions are installed, with their solutions :: Get-SPFeature -Limit All | Select-Object DisplayName, Id, Scope, SolutionId
check: @solutions

[solution-add] adding a package to the solution store
of: solutions
frame: SPSolutionCollection.Add
usually: A solution of this name or ID is in the store already, or the package is damaged or lacks a file that its manifest names.
usually(FileNotFoundException): The package is not at the path: it must be a full path that the account can read.
usually(absence): The package is not at the path: it must be a full path that the account can read.
usually(SPDuplicateObjectException): A solution of this name or ID is in the store already; a newer package goes in with an update.
usually(refusal): The account is no farm administrator, or may not write to the configuration database.
check: @solutions
check: Who may write to the configuration database with PowerShell :: Get-SPShellAdmin

[solution-deploy] reading, deploying or retracting a solution
of: solutions
frame: SPSolution, SPSolutionLanguagePack, SPSolutionPackage, SPSolutionDeploymentJobDefinition
usually: The services SPTimerV4 or SPAdminV4 do not run on one of the servers, or a job of an earlier deployment still waits there.
usually: A feature, assembly or file of the solution is there already from another solution, or is in use by a process.
usually(absence): The package or one of its files cannot be read on this server.
usually(refusal): The account of the timer service may not write web.config, the SharePoint folders or the assembly cache on this server.
usually(SPDuplicateObjectException): A deployment job of this solution still waits or is stuck.
usually(IOException): A file of the solution is in use, by a worker process or a virus scanner.
usually(XmlException): web.config of a web application, or a file of the package, is not well-formed.
check: What the last deployment said on each server :: Get-SPSolution NAME | Select-Object Deployed, DeployedServers, LastOperationResult, LastOperationDetails
check: Jobs of deployments that wait :: Get-SPTimerJob | Where-Object Name -like '*solution-deployment*' | Select-Object Name, Server, Status, LastRunTime
check: @timer

[solution-scope] choosing the web applications for a solution
of: solutions
text: This solution contains no resources scoped for a Web application
text: This solution contains resources scoped for a Web application
usually: A solution with SafeControl entries or files for a web application is deployed to web applications that are named; one without is deployed without naming any.
check: Whether the solution has such parts :: Get-SPSolution NAME | Select-Object Name, ContainsWebApplicationResource, ContainsGlobalAssembly, Deployed

[solution-waits] beginning a deployment or retraction while another one of the solution runs
of: solutions
text: deployment or retraction is already under way for the solution
usually: A job of an earlier deployment of this solution still waits or is stuck, because the timer or administration service of a server does not run.
check: Jobs of deployments that wait :: Get-SPTimerJob | Where-Object Name -like '*solution-deployment*' | Select-Object Name, Server, Status, LastRunTime
check: @timer

[user-solution] reading, adding or activating sandboxed solutions
of: sandbox
frame: SPUserSolutionCollection, SPUserSolution
usually: The service for sandboxed code does not run, or the site has used up its quota of resources.
usually: A validator of the farm rejects the solution, or it has elements that sandboxed solutions may not have.
usually(refusal): The user does not administer the site, which a solution with an assembly needs.
check: The solutions of the site :: Get-SPUserSolution -Site URL
check: Where sandboxed code runs :: Get-SPServiceInstance | Where-Object TypeName -like '*Sandboxed*' | Select-Object Server, Status
check: @usage

[sandbox-types] passing objects between SharePoint and sandboxed code
of: sandbox
frame: SPUserCodeSerializationBinder
usually(ArgumentException): Since the security updates of May 2022 (2013 and 2016) sandboxed code may hand over listed types only; the row 6k389 names the type and assembly that are not, and KB5015556 tells how a type is listed.
check: The solutions of a site :: Get-SPUserSolution -Site URL
check: The row 6k389 of the same request, with type and assembly :: fastctl logs trace CORRELATION LOGS

[sandbox-run] running sandboxed code
of: sandbox
frame: SPUserCodeExecutionManager, SPUserCodeExecutionHost, SPUserCodeWebPart, SPUserCodeApplicationHostAppDomainRef
text: Sandboxed code execution request failed
usually: The service for sandboxed code runs on no server, or cannot start its worker process.
usually: The solution is no longer active in the site, or the site has used up its quota of resources.
usually(refusal): The account of the sandboxed code service lacks rights on this server, or the code calls what sandboxed code may not.
usually(SecurityException): The code calls what sandboxed code may not.
check: Where sandboxed code runs :: Get-SPServiceInstance | Where-Object TypeName -like '*Sandboxed*' | Select-Object Server, Status
check: The solutions of the site :: Get-SPUserSolution -Site URL
check: The Windows service and its account :: Get-CimInstance Win32_Service -Filter "Name='SPUserCodeV4'" | Select-Object State, StartName


[add-user] finding a user by login name, or adding the user to the site
of: people-picker
frame: SPWeb.EnsureUser, SPUserCollection.Add, SPUserCollection.AddInternal
usually: The name is not found: it needs the form of this zone's sign-in, encoded as a claim (i:0#.w|DOMAIN\user) where claims are used.
usually: The account is deleted or disabled in the directory, or its domain cannot be asked from this server.
usually(refusal): The code runs as a user who may not add users to the site, or who lacks the right Browse User Information.
usually(sharepoint:0x81020054): No account of this name is found, or several: the name lacks its domain or the encoding as a claim, or its domain cannot be asked.
check: How the zone signs users in :: Get-SPAuthenticationProvider -WebApplication URL -Zone Default
check: A domain controller is found :: nltest /dsgetdc:DOMAIN
check: @user

[find-user] looking up or removing a user of the site
of: security
frame: SPUserCollection.get_Item, SPUserCollection.GetByID, SPUserCollection.GetByEmail, SPUserCollection.GetByLoginNoThrow, SPUserCollection.Remove
usually: The user was removed from the site or never came to it: a lookup by ID or name finds only who is in the user list of the site.
usually: The name is in another form than the site has it: encoded as a claim or not, or of another domain.
usually(refusal): The user may not see the members of the group, or the users of the site.
check: @user

[find-group] looking up or removing a group of the site
of: security
frame: SPGroupCollection.get_Item, SPGroupCollection.GetByID, SPGroupCollection.GetByName, SPGroupCollection.GetByNameInternal, SPGroupCollection.Remove
usually: There is no group of this name in the site collection, or, in the groups of a web, it has no permissions there.
usually: The group was renamed, or its name is in another language.
check: @groups

[change-group] creating or changing a group, or reading its members
of: security
frame: SPGroupCollection.Add, SPGroup.Update, SPGroup.AddUser, SPGroup.RemoveUser, SPGroup.get_Users
usually: A group of this name is there already, or the owner or member named is not in the site.
usually(refusal): The user is not the group's owner and may not manage permissions, or may not see the members.
usually(sharepoint:0x81020054): The member is not found: deleted or disabled in the directory, or in another form than this zone's sign-in uses.
check: @groups
check: @user

[grant-permissions] reading, giving or taking permissions
of: security
frame: SPRoleAssignmentCollection, SPRoleAssignment, SPRoleDefinitionBindingCollection, SPRoleDefinitionCollection, SPRoleDefinition
usually: The object inherits its permissions, so that they can only be changed above it or after breaking the inheritance.
usually: The user, group or permission level named is not in the site; the names of levels differ by language.
usually(refusal): The user, or the account of the process, may not manage permissions here.
check: Objects with permissions of their own in the web :: Get-SPWeb URL | Select-Object Url, HasUniqueRoleAssignments, FirstUniqueAncestorWeb
check: Permission levels of the web :: Get-SPWeb URL | Select-Object -ExpandProperty RoleDefinitions | Select-Object Name, Id
check: @groups

[break-inheritance] breaking or restoring the inheritance of permissions
of: security
frame: SPSecurableObject.BreakRoleInheritance, SPSecurableObject.ResetRoleInheritance, SPListItem.BreakRoleInheritance, SPListItem.ResetRoleInheritance, SPList.BreakRoleInheritance, SPList.ResetRoleInheritance, SPWeb.BreakRoleInheritance, SPWeb.ResetRoleInheritance, SPRoleAssignmentCollection.BreakRoleInheritance
usually: The list or folder has more items than the list view threshold, or the list has reached its limit of objects with permissions of their own.
usually(refusal): The user, or the account of the process, may not manage permissions here.
usually(SPQueryThrottledException): The list or folder has more items than the list view threshold.
usually(sharepoint:0x8102006D): The code writes in a GET request without AllowUnsafeUpdates; breaking the inheritance sets it back on the web object.
check: How many scopes of permissions a list may have :: Get-SPWebApplication URL | Select-Object MaxUniquePermScopesPerList, MaxItemsPerThrottledOperation
check: @lists

[check-permissions] checking the permissions of a user
of: security
frame: SPSecurableObject.CheckPermissions, SPSecurableObject.DoesUserHavePermissions, SPListItem.CheckPermissions, SPList.CheckPermissions, SPWeb.CheckPermissions, SPWeb.DoesUserHavePermissions, SPFolder.CheckPermissions, SPSecurableObjectImpl
usually: The user has not the right that the page or the code asks for on this object, or a policy of the web application denies it.
check: @user
check: Policies of the web application :: Get-SPWebApplication URL | Select-Object -ExpandProperty Policies
check: @site


[run-receivers] running event receivers
generic: yes
of: event-receivers
frame: SPEventManager, SPEventReceiverBase, SPItemEventReceiver, SPListEventReceiver, SPWebEventReceiver
text: Event manager error
usually: The assembly of the receiver is not on this server, is of another version than registered, or its class was renamed.
usually: The code of the receiver fails on this item or list.
usually(absence): The assembly of the receiver is not on this server, or a retracted solution left its receivers registered.
usually(NullReferenceException): The code of the receiver reads what this event does not have: the item before it is added, a column that did not change, or the context of a page in an event after the change.
usually(TypeLoadException): The assembly is there, but not the class that is registered: an older version of the assembly is loaded.
usually(refusal): The receiver runs as the user who made the change, who lacks a right on what the code touches.
check: @receivers
check: @solutions
check: When the timer service began, against the day of the deployment :: Get-Process OWSTIMER | Select-Object StartTime

[register-receiver] reading or registering event receivers
of: event-receivers
frame: SPEventReceiverDefinitionCollection, SPEventReceiverDefinition
usually: The assembly or the class of the receiver is not found on this server, or its full name is not right.
usually(refusal): The account has no right to manage the list or web.
usually(absence): The assembly of the receiver is not in the assembly cache of this server.
check: @receivers
check: @solutions


[unsafe-control] checking that the controls of a page are safe
of: pages
frame: SPPageParserFilter
text: could not be found or it is not registered as safe
text: The type is not registered as safe
usually: web.config of this web application on this server has no SafeControl entry for the control's assembly, namespace and version.
usually(absence): The assembly of the control is not on this server, or is of another version than the page names.
check: @webconfig
check: @solutions

[page-code] reading a page of the site that has code in it
generic: yes
of: pages
text: Code blocks are not allowed in this file
usually: A page that was customized or uploaded holds code, which only pages of the server's folders may, unless web.config allows it for the path (PageParserPath).
check: @webconfig
check: @rows

[read-page] reading the files of a page
generic: yes
of: pages
frame: SPVirtualPathProvider, SPVirtualFile, SPDatabaseFile
text: The file '/_catalogs/masterpage/
usually: A file that the page names is not there: its master page, page layout or a user control.
usually: The content database does not answer, or the user may not read the file.
usually(refusal): The user may not read the master page or the page: the gallery of master pages lacks its usual permissions, or the file has no published version.
check: The master pages of the web :: Get-SPWeb URL | Select-Object Url, MasterUrl, CustomMasterUrl
check: @rows

[page-context] finding the site and web of a request
generic: yes
of: sites
frame: SPControl.SPWebEnsureSPControl, SPControl.GetContextWeb, SPControl.GetContextSite, SPContext.GetContext
usually: There is no site or web at the address of the request, or the address is none of this web application.
usually(refusal): The user has no right to open the site or web at this address.
usually(NullReferenceException): The code runs without a request: in the timer service, in the console or in a thread of its own there is no current site.
check: The addresses of the web applications and their zones :: Get-SPAlternateURL
check: @site

[layouts-resource] finding scripts and styles of the layouts folder
of: pages
frame: SPUtility.MakeBrowserCacheSafeLayoutsUrl, ScriptLink, CssLink, CssRegistration
text: Cannot make a cache safe URL for
usually: The file is not in the LAYOUTS folder of this server: its solution is not deployed here, or the language pack is missing.
check: The file in the layouts folder, here and on another server :: Get-ChildItem 'C:\Program Files\Common Files\microsoft shared\Web Server Extensions\16\TEMPLATE\LAYOUTS' -Recurse -Filter FILE
check: @solutions
check: @servers

[global-resource] reading a text of a page in the user's language
of: pages
text: The resource object with key
usually: The resource file is not in the folder App_GlobalResources of the web application on this server, or lacks the key.
check: The resource files of the web applications :: Get-ChildItem C:\inetpub\wwwroot\wss\VirtualDirectories\*\App_GlobalResources -Filter *.resx | Select-Object DirectoryName, Name, LastWriteTime
check: @solutions

[translate-titles] reading or setting titles in another language
of: pages
frame: SPUserResource, SPUserResourceCollection
usually: The language is none of the web's alternate languages, or its language pack is not installed on this server.
check: The languages of the web :: Get-SPWeb URL | Select-Object -ExpandProperty SupportedUICultures
check: Language packs on this server :: Get-ChildItem 'C:\Program Files\Common Files\microsoft shared\Web Server Extensions\16\TEMPLATE\LAYOUTS' -Directory | Where-Object Name -match '^[0-9]+$'

[delegate-control] placing the control of a feature on a page
of: pages
frame: DelegateControl
usually: The control that a feature names is missing or unsafe: its .ascx file or assembly is not on this server, or web.config has no SafeControl entry.
usually(absence): The .ascx file or the assembly of the control is not on this server.
check: @webfeatures
check: @solutions
check: @webconfig

[form-digest] checking that a request to write came from a page of this site
of: view-state
frame: SPUtility.ValidateFormDigest, SPWeb.ValidateFormDigest
text: Updates are currently disallowed on GET requests
text: The security validation for this page is invalid
usually: The code writes in a GET request without AllowUnsafeUpdates, or the page was open longer than its digest is valid.
usually: A call of a script or program sends no form digest, or one of another site or user.
check: How long a digest is valid :: Get-SPWebApplication URL | Select-Object -ExpandProperty FormDigestSettings
check: @webconfig

[view-state-read] reading the view state that a page sent back
of: view-state
text: Validation of viewstate MAC failed
text: The state information is invalid for this page and might be corrupted
usually: The servers of the web application have different machine keys, and the page went to another server than it came from.
usually: The application pool restarted or the page changed while it was open.
check: Whether the machine keys of the servers agree :: fastctl webconfig check FOLDER
check: Whether users stay on one server :: fastctl logs requests LOGS

[postback-check] checking the values that a page sent back
of: pages
text: Invalid postback or callback argument
usually: A control got a value that the page did not offer: a script filled it, or the page was sent back before it had loaded.
check: @rows

[request-timeout] running a request to its end
of: pages
text: System.Web.HttpException: Request timed out
text: System.Web.HttpException (0x80004005): Request timed out
usually: The page took longer than executionTimeout in web.config allows: a slow query, a call to another server that does not answer, or a large upload.
check: What was slow then :: fastctl logs slow LOGS
check: @rows

[closed-web] using a web or site object that was closed
of: pages
text: Trying to use an SPWeb object that has been closed or disposed
usually: Custom code disposed the web or site of the request (SPContext), or keeps one for later requests.
check: @rows
check: @solutions

[load-web-parts] loading, showing or changing the web parts of a page
of: web-parts
frame: SPWebPartManager, ErrorWebPart, UnsafeWebPart
usually: The assembly of a web part is not on this server, or web.config has no SafeControl entry for it.
usually: A web part of the page fails while it starts or saves its properties.
usually(absence): The assembly of a web part is not on this server: its solution is not deployed here, or the part is older than the solution.
usually(refusal): The user may not add or change web parts on this page.
check: @webconfig
check: @solutions
check: The page shows its web parts and lets them be closed when contents=1 is added to its address.

[edit-web-parts] reading, adding or changing web parts by code
of: web-parts
frame: SPLimitedWebPartManager
usually: The page is not checked out, is checked out to another user, or is not at this address.
usually: The web part's assembly or SafeControl entry is missing, or the part needs the context of a page, which the console and the timer service do not have.
usually(NullReferenceException): A web part needs the context of a page (HttpContext), which the console and the timer service do not have.
usually(SPFileCheckOutException): The page is checked out to another user, or must be checked out first.
usually(refusal): The account may not add and customize pages.
check: @webconfig
check: @solutions

[import-web-part] importing or exporting a web part
of: web-parts
frame: WebPartImporter, WebPartExporter, SPWebPartManager.ImportWebPart, SPLimitedWebPartManager.ImportWebPart, SPLimitedWebPartManager.ExportWebPart
text: Cannot import this Web Part
text: Error importing WebPart
usually: The type in the .webpart or .dwp file cannot be loaded: its assembly is not on this server, or web.config has no SafeControl entry for it.
usually: A property in the file is not one of the part, or its value is not of the right type.
usually(absence): The assembly of the web part is not on this server, or is of another version than the file names.
check: @webconfig
check: @solutions

[list-view-part] showing a list in a web part
of: web-parts
frame: ListViewWebPart, XsltListViewWebPart, BaseXsltListWebPart
usually: The list or the hidden view of the web part is gone: deleted, or the page came from another site.
usually(SPQueryThrottledException): The view would read more items than the list view threshold, or has more lookup, person and metadata columns than are allowed.
usually(sharepoint:0x81020026): The list of the web part is gone: deleted, or the page came from another site.
usually(refusal): The user may not read the list.
check: @lists
check: @thresholds

[list-data-source] reading or changing a list for a control of a page
of: lists
frame: SPDataSource, SPDataSourceView
usually: The list, web or column that the control names does not exist there.
usually(refusal): The user may not read the list that the control shows.
usually(SPQueryThrottledException): The list has more items than the list view threshold, or the control asks for too many lookup columns.
check: @lists
check: @fields

[xslt-part] rendering a web part with XSLT, or saving its form
of: web-parts
frame: DataFormWebPart, BaseXsltDataWebPart
usually: The XSLT of the part is not valid, or its list or data source no longer exists or does not answer.
usually: The transformation takes longer than the farm allows (XsltTransformTimeOut, in seconds).
usually(XsltException): The XSLT of the part is not valid, or calls what is not allowed there.
usually(XslLoadException): The XSLT of the part is not valid.
usually(XslTransformException): The XSLT fails on these data, or is too complex.
usually(InsufficientExecutionStackException): The XSLT is too complex for the stack of a worker process.
usually(WebException): The data source of the part lies on another server, which does not answer or refuses the account of the pool.
usually(FileNotFoundException): The list or the XSL file of the part does not exist at its address.
check: The limit on transformations, in seconds :: Get-SPFarm | Select-Object XsltTransformTimeOut
check: @lists

[site-manager] showing or changing sites in Site Content and Structure
of: publishing
text: sitemanager.aspx
usually: What the page is to show cannot be read: Show Related Resources fails for a page with a list view web part of a pages library that requires content approval, if the page lies outside of that library.
usually(hresult:0x80004003): Show Related Resources fails for a page with a list view web part of a pages library that requires content approval, if the page lies outside of that library.
usually(refusal): The user may not manage the site or list, or may not read one of the webs below it.
check: Which libraries of the web require approval :: Get-SPWeb URL | Select-Object -ExpandProperty Lists | Select-Object Title, EnableModeration
check: @rows

[content-query] running a content query web part
of: publishing
frame: ContentByQueryWebPart, CmsDataFormWebPart
usually: ItemStyle.xsl or ContentQueryMain.xsl in the Style Library was changed wrongly, is missing, or has no published version.
usually: The web or list that the part queries is gone, or has more items than the list view threshold.
usually(SPQueryThrottledException): A list that the part queries has more items than the list view threshold.
usually(FileNotFoundException): The web, list or XSL file that the part names does not exist at its address.
usually(XslLoadException): An XSL file of the Style Library was changed and is no longer valid.
usually(refusal): The user may not read the XSL files of the Style Library, or the web that is queried.
check: @lists
check: @thresholds


[client-call] answering a call of the client API
generic: yes
of: client
frame: ClientMethodsProcessor, ServerStub, RestService, ClientServiceHost
usually: What the caller names, a web, list, item, file or user, does not exist, or the caller may not see it.
usually(InvalidClientQueryException): The request is not one that the server understands: a name, a type or the JSON of the call is not right, or the message is too large.
usually(refusal): The caller, or the add-in, has no right on this object, or may not use the client API (Use Remote Interfaces).
usually(FormatException): A value in the call is not of the type that the method takes.
check: @rows
check: Limits of the client API :: Get-SPWebApplication URL | Select-Object -ExpandProperty ClientCallableSettings

[soap-lists] answering a call of the web service for lists
generic: yes
of: soap
frame: Lists.UpdateListItems, Lists.GetListItems, Lists.GetList, Lists.GetListItemChangesSinceToken, Lists.AddAttachment, ListDataImpl
usually: The call goes to an address of another web than the list's, or names a list, view, column or item that does not exist.
usually(refusal): The caller has no right on the list, or may not use remote interfaces.
usually(sharepoint:0x81020026): The list is not in the web at whose address the service was called.
usually(SPQueryThrottledException): The call would read more items than the list view threshold.
check: @lists
check: @fields

[soap-call] answering a call of a web service
generic: yes
of: soap
text: Exception of type 'Microsoft.SharePoint.SoapServer.SoapServerException' was thrown
usually: What the call names, a list, view, item or user, does not exist in the web at whose address the service was called; the detail of the fault says which.
check: @rows
check: @lists


[install-app] installing, updating or removing an app (add-in), or reading its state
of: app-management
frame: SPApp, SPAppInstance, SPAppTask, MonitoredTaskExecution, TaskExecutor, SPAppInstallationQueueJobDefinition, SPWeb.LoadAndInstallApp, SPWeb.LoadAndInstallAppInternal
usually: The app domain or the prefix of apps is not set, or the App Management or Subscription Settings service does not answer.
usually: The farm lacks what the package asks for: a service, a feature or a language.
usually: The job that installs apps does not run, or a step of it, such as creating the app web, fails.
usually(refusal): The user may not install apps here: the system account never may, and the rights that the app asks for cannot be more than the user's.
usually(EndpointNotFoundException): The App Management or Subscription Settings service application has no started instance.
check: The app domain :: Get-SPAppDomain
check: The prefix of app addresses :: Get-SPAppSiteSubscriptionName
check: @applications


[start-workflow] starting a workflow of SharePoint 2010
of: workflow-2010
frame: SPWorkflowManager.StartWorkflow, SPWorkflowManager.StartWorkflowElev, SPWorkflowAutostartEventReceiver
usually: The association is disabled, or its template, feature or assembly is not there.
usually: A workflow of this association runs on the item already.
usually(refusal): The user may not edit the item, or the association asks for the right to manage lists.
usually(absence): The assembly of the workflow, or a file of its definition in the site, is missing.
check: @workflows
check: @solutions
check: @rows

[autostart-system] starting a declarative workflow after a change by the system account
of: workflow-2010
text: Declarative workflows cannot automatically start
usually: The system account made the change: the account of the application pool, or code with elevated rights; declarative workflows do not start by themselves for it.
check: The accounts of the application pools :: Get-SPWebApplication -IncludeCentralAdministration | Select-Object Url, @{n='Account'; e={$_.ApplicationPool.Username}}
check: @workflows

[compile-workflow] compiling or loading a workflow of the SharePoint 2010 kind
of: workflow-2010
frame: SPNoCodeXomlCompiler, SPWinOeHostServices.LoadDeclarativeAssembly, SPWorkflowNoCodeSupport
text: is not marked as authorized in the application configuration file
usually: A type that the workflow uses is missing from authorizedTypes in web.config, or in OWSTIMER.EXE.CONFIG for the timer service.
usually: The assembly of a custom activity is not on this server, or its .actions file does not fit.
usually(absence): A file of the workflow's definition in the site, or the assembly of an activity, is missing.
usually(refusal): The user for whom the workflow starts may not read the library of workflows in the site.
usually(XmlException): A file of the workflow's definition in the site is damaged.
check: The authorized types of the web applications :: fastctl webconfig check FOLDER
check: Those of the timer service :: Select-String -Path 'C:\Program Files\Common Files\microsoft shared\Web Server Extensions\*\BIN\OWSTIMER.EXE.CONFIG' -Pattern authorizedType
check: @solutions

[run-workflow] running the steps of a workflow of SharePoint 2010
of: workflow-2010
frame: SPWinOeEngine, SPWinOEWSSService, SPWinOeHostServices, SPWorkflowManager.RunWorkflow, SPWorkflowManager.RunWorkflowElev
text: WinWF Internal Error, terminating workflow
usually: A step touches an item, list, column or user that is gone, or that the workflow's user may not change.
usually: The assembly of the workflow changed or is missing while instances of it still run.
usually(absence): The assembly of the workflow, or of an activity, is not on the server that runs this step; it may be one that runs only the timer service.
usually(NullReferenceException): The user who started the workflow, or the item or list it runs for, is no longer in the site.
usually(SerializationException): The workflow was started with another version of its assembly than this server has now.
usually(SmtpException): The SMTP server of the web application does not answer, or refuses the mail.
usually(refusal): The user for whom the workflow runs lacks a right on the item or list that this step changes.
check: @workflows
check: @solutions
check: @user

[workflow-services] loading the services that web.config names, for workflows of SharePoint 2010
of: workflow-host
frame: SPWinOeHostServices.EnsurePluggableServices
usually: The server whose timer runs the workflow does not run the web application, so that there is no web.config with the services.
usually(NullReferenceException): The server whose timer runs the workflow (Workflow Timer Service) does not run the web application (service Microsoft SharePoint Foundation Web Application), so that there is no web.config with the services.
usually(absence): The assembly of a service that web.config names for workflows is missing on this server, or there is no web.config.
check: Servers that run the workflow timer run the web application too :: Get-SPServiceInstance | Where-Object Status -eq Online | Sort-Object TypeName | Select-Object TypeName, Server
check: The services and authorized types of the web applications :: fastctl webconfig check FOLDER
check: @solutions

[workflow-user] finding the user for whom a workflow of SharePoint 2010 runs
of: workflow-owner
frame: SPWinOEWSSService.GetWebForWorkflow, SPWinOEWSSService.get_Web, SPWorkflowUserContext
usually: The user who started the workflow, or the author of its association, is no longer in the site.
check: @workflows
check: @user

[workflow-tasks] reading, creating, changing or completing tasks of a workflow
of: workflow-tasks
frame: SPWinOETaskService, SPWorkflowTask, SPWorkflowTaskCollection
usually: The task list is gone, or lacks the content type that the workflow uses or does not allow content types.
usually: The person for the task is not found, or the task is locked because the workflow works on it.
usually(NullReferenceException): The task list lacks the content type that the workflow uses.
usually(refusal): The user may not edit the task, or the user of the workflow may not add to the task list.
check: @workflows
check: The task lists and their content types :: Get-SPWeb URL | Select-Object -ExpandProperty Lists | Where-Object BaseTemplate -eq Tasks | Select-Object Title, ContentTypesEnabled, ContentTypes
check: @types

[associate-workflow] reading or changing which workflows a list, content type or site has
of: workflow-2010
frame: SPWorkflowAssociationCollection, SPWorkflowAssociation, SPList.AddWorkflowAssociation, SPContentType.AddWorkflowAssociation
usually: The template of the workflow is not in the site: its feature is not active.
usually: The task list or the history list does not exist, or an association of this name is there already.
usually(refusal): The user may not manage the list.
check: The workflow templates of the web :: Get-SPWeb URL | Select-Object -ExpandProperty WorkflowTemplates | Select-Object Name, Id
check: @features
check: @workflows

[workflow-jobs] continuing or cleaning up workflows of SharePoint 2010 in the timer service
of: workflow-2010
frame: SPWorkflowJobDefinition, SPWorkflowFailOverJobDefinition, SPWorkflowAutoCleanJobDefinition, BulkWorkflowWIJD
usually: The server that runs the job lacks the web application, the assemblies of a workflow or their authorized types.
usually: The service for workflow timers runs on no server, or the site of the waiting workflow is locked or gone.
usually(absence): The assembly of a workflow is not on the server that runs the job.
check: Where workflow timers run :: Get-SPServiceInstance | Where-Object TypeName -like '*Workflow Timer*' | Select-Object Server, Status
check: The workflow job :: Get-SPTimerJob job-workflow | Select-Object Name, WebApplication, LastRunTime, IsDisabled
check: @solutions

[publish-workflow] reading or publishing workflows at Workflow Manager
of: workflow-services
frame: WorkflowDeploymentService, StoreWorkflowDeploymentService, ActivityManager.Publish, WorkflowManager.Publish
usually: Workflow Manager does not answer or refuses the farm's token, or the web application is not connected with it.
usually: An activity or list that the workflow names is not there.
usually(ActivityValidationException): The definition names an activity or a property that Workflow Manager does not have: an action of another site, or a feature that is not active.
usually(WorkflowCommunicationException): Workflow Manager, or Service Bus behind it, does not run or cannot be reached from this server.
usually(ScopeNotFoundException): The scope of the farm is gone from Workflow Manager: it was set up anew after the farm was connected.
usually(refusal): The user may not manage workflows here, or Workflow Manager refuses the token of the farm.
check: @wfconfig
check: @wfport
check: @webfeatures

[start-workflow-2013] starting, asking about or managing workflows of Workflow Manager
of: workflow-services
frame: WorkflowInstanceService, FabricWorkflowInstanceProvider, InstanceManager, WorkflowManagementClient, WorkflowServicesManager
usually: Workflow Manager or Service Bus does not run, or this server cannot reach it over https.
usually: The App Management service, which these workflows sign in with, does not answer, or the user has no profile with a UPN or account name.
usually(WorkflowCommunicationException): Workflow Manager, or Service Bus behind it, does not run or cannot be reached from this server.
usually(ScopeNotFoundException): The scope of the farm is gone from Workflow Manager: it was set up anew after the farm was connected.
usually(InternalServerErrorException): Workflow Manager itself fails: its Service Bus, its databases or its certificates.
check: @wfconfig
check: @wfport
check: Its services, on its own servers :: Get-Service WorkflowServiceBackend, 'Service Bus Gateway', 'Service Bus Message Broker', FabricHostSvc -ErrorAction SilentlyContinue

[subscribe-workflow] reading or changing which workflows of Workflow Manager a list or site has
of: workflow-services
frame: WorkflowSubscriptionService, StoreWorkflowSubscriptionService
usually: Workflow Manager does not answer, or the definition of the workflow was not published.
usually: The list, its task list or its history list does not exist.
usually(refusal): The user may not manage the list or the web.
check: @wfconfig
check: @wfport
check: @lists


[infopath-form] showing or submitting an InfoPath form in the browser
of: infopath
frame: XmlFormView, XmlFormHost
usually: The State Service has no proxy in the web application's group, or its database does not answer.
usually: The form template was not published, was removed, or needs more trust than it has.
usually(refusal): The user may not read the form template or the library, or a data connection of the form is refused.
usually(absence): The form template was removed, or its code is not on this server.
check: The State Service :: Get-SPStateServiceApplication
check: @proxies
check: Form templates of the farm :: Get-SPInfoPathFormTemplate

[infopath-query] running a data connection of an InfoPath form
of: infopath
text: The following query failed:
usually: The data source refuses the account: the user's sign-in does not go on to another server without Kerberos delegation or Secure Store.
usually: The address, list or query of the connection does not exist or does not answer, or the farm does not allow connections of this kind.
check: What forms may do :: Get-SPInfoPathFormsService
check: The data source answers from this server :: Test-NetConnection SOURCE -Port PORT

[infopath-template] reading, uploading or activating InfoPath form templates
of: infopath
frame: FormTemplateCollection, FormTemplate.Activate, FormTemplate.Deactivate, FormTemplate.Upgrade, DetectUnsupportedNamespaces
usually(NullReferenceException): Where the code of the form was checked: it has a class outside a namespace, or its assembly is damaged.
usually: The template is not published for upload by an administrator, has errors for browser forms, or is there already in an older version.
usually(refusal): The account is no farm administrator.
check: Form templates of the farm :: Get-SPInfoPathFormTemplate
check: @timer


[open-publishing-page] opening a publishing page with its layout
of: publishing
frame: TemplateRedirectionPage, PublishingLayoutPage
usually: The page layout is gone, has no published version, or the page names it with the address of another server or site.
usually: A control or web part of the layout fails.
usually(absence): The page layout, or a control in it, is not there.
usually(refusal): The user may not read the page layout: the gallery of master pages lacks its usual permissions.
usually(NullReferenceException): The page names a page layout that does not exist at that address.
check: Pages and the layouts that they name :: Get-SPWeb URL | Select-Object -ExpandProperty Lists | Where-Object Title -eq Pages | Select-Object -ExpandProperty Items | Select-Object Name, @{n='Layout'; e={$_['PublishingPageLayout']}}
check: @features

[publishing-web] reading or changing the publishing settings and pages of a web
of: publishing
frame: PublishingWeb, PublishingPage, PublishingPageCollection, PublishingSite, PageLayout
usually: The publishing feature is not active in the site or the web, or the Pages library is gone.
usually: The page layout named is not in the gallery of master pages, or not allowed in this web.
usually(refusal): The user may not add pages, or may not read the Pages library.
usually(NullReferenceException): The publishing feature is not active in the web, or its Pages library is gone.
check: @webfeatures
check: @features
check: The web knows its Pages library :: Get-SPWeb URL | Select-Object Url, @{n='Pages'; e={[Microsoft.SharePoint.Publishing.PublishingWeb]::GetPublishingWeb($_).PagesListName}}

[object-cache-accounts] finding the accounts of the object cache of publishing
of: object-cache
text: Object Cache: The super user account
text: Object Cache: The super reader account
usually: The accounts portalsuperuseraccount and portalsuperreaderaccount of the web application are not set, not encoded as claims, or lack their policies.
check: The two accounts of the web application :: Get-SPWebApplication URL | Select-Object -ExpandProperty Properties
check: Its policies, Full Control for the one and Full Read for the other :: Get-SPWebApplication URL | Select-Object -ExpandProperty Policies

[blob-cache-serve] serving files from the BLOB cache, or looking after it
of: blob-cache
frame: BlobCache, BlobCacheEntry
text: occured in the blob cache
text: occurred in the blob cache
usually: The folder of the cache is missing, full, or not writable for the application pool, or a file in it is damaged or held by a virus scanner.
usually(refused-file): The account of the application pool has no full control of the folder of the cache.
usually(refusal): The account of the application pool has no full control of the folder of the cache.
usually(absence): The folder of the cache, or a file of it, was removed while the cache was in use, or the file is gone from the library.
check: Whether it is on, and its folder :: fastctl webconfig check FOLDER
check: Rights on the folder :: icacls FOLDER
check: @space

[build-navigation] reading the navigation of a site or building its menus
of: navigation
frame: PortalSiteMapProvider, PortalSiteMapNode, SPNavigationProvider, SPContentMapProvider, SPXmlContentMapProvider, AspMenu
usually: A web, page or list of the menu cannot be read, or the site map provider that the master page names is not in web.config.
usually: Publishing is not active in the site, or its Pages library or object cache fails.
usually(refusal): A super reader or super user account of the object cache has no policy, or the user may not read a node.
check: @webfeatures
check: @webconfig
check: @rows

[navigation-items] reading pages of a publishing web through the object cache, as for its navigation
of: navigation-pages
frame: CachedArea.GetChildForListByQuery
usually: Publishing is not in order in this web, often after a migration or upgrade: its feature SharePoint Server Publishing is not active, or has to be activated again; or the web does not find its Pages library.
usually: The accounts of the object cache (Portal Super User, Portal Super Reader) are not set as claims, or lack Full Control and Full Read on the web application, so that the cache does not read what it needs.
usually(refusal): A super reader or super user account of the object cache has no policy on the web application.
usually(absence): The web, its Pages library or a page in the cache was deleted or renamed meanwhile.
check: @webfeatures
check: The web knows its Pages library :: Get-SPWeb URL | Select-Object Url, @{n='Pages'; e={[Microsoft.SharePoint.Publishing.PublishingWeb]::GetPublishingWeb($_).PagesListName}}
check: The accounts of the object cache :: Get-SPWebApplication URL | Select-Object -ExpandProperty Properties
check: Policies of the web application :: Get-SPWebApplication URL | Select-Object -ExpandProperty Policies

[change-navigation] reading or changing the navigation nodes of a web
of: navigation
frame: SPNavigationNodeCollection, SPNavigationNode, SPNavigation
usually: The node is gone or changed in the meantime, or its address is not valid: an internal address must exist.
usually(NullReferenceException): The web has no node of this kind: its top or quick launch navigation is inherited, or empty.
usually(refusal): The user may not manage the web.
check: The nodes of the web :: Get-SPWeb URL | Select-Object Url, @{n='Top'; e={$_.Navigation.TopNavigationBar.Count}}, @{n='Quick launch'; e={$_.Navigation.QuickLaunch.Count}}

[term-navigation] reading navigation from a term set or building menus from it
of: navigation
frame: TaxonomySiteMapProvider, TaxonomySiteMapNode, TaxonomyNavigation, NavigationTermSet, NavigationTerm, PersistedNavigationTermSetSyncJobDefinition
usually: The Managed Metadata service does not answer or has no proxy in the web application's group.
usually: The term set of the site is gone or not marked for navigation, or its cache in the site is not built.
usually(refusal): The account may not read the term store.
check: @proxies
check: Whether term stores can be read from the site :: Get-SPTaxonomySession -Site URL

[variations] reading variation settings, creating variation sites or copying pages to them
of: publishing
frame: CreateVariationHierarchiesJobDefinition, PropogateVariationPageJobDefinition, PropagateListItemJob, SpawnSitesJobDefinition, VariationSettings, VariationWorkItemHelper, VariationsRelationshipListEventReceiver
usually: A target web, its Pages library or the list of relationships in the root web is missing or was changed by hand.
usually: A page layout, content type or feature of the source is not in the target, or the target page is checked out.
usually(refusal): The account of the timer service has no right on the source or the target site.
usually(SPFileCheckOutException): The page at the target is checked out.
check: The jobs of variations :: Get-SPTimerJob | Where-Object Name -like 'Variations*' | Select-Object Name, WebApplication, LastRunTime, IsDisabled
check: @features

[deploy-content] reading, changing or running a content deployment job
of: migration
frame: ContentDeploymentJob, ContentDeploymentPath, ContentDeploymentJobDefinition
usually: The target farm does not accept deployments, lacks a feature, template or language of the source, or the account has no right in its Central Administration.
usually: The target site was not created with the blank template, or content at the target was changed by hand.
usually(WebException): Central Administration of the target does not answer, or its certificate is not trusted.
check: What the job reported, in Central Administration of the source: Content deployment paths and jobs, and its history.
check: @features
check: @space

[export-package] exporting a web, list or item into a package
of: migration
frame: SPExport, ExportObjectManager
usually: An object refers to a feature, content type, list template or file that is missing.
usually: The folder for the package cannot be written, or has no space left; a package of that name may be there already.
usually(refusal): The account does not administer the site, or may not write to the folder.
usually(IOException): The folder or drive has no space left, or the package is there already.
check: The log file beside the package (.export.log) names the object that fails.
check: @features
check: @space

[import-package] importing a package into a web
of: migration
frame: SPImport, ImportObjectManager, SecurityObjectSerializer.SetObjectData, ListItemSerializer.SetObjectData, ListSerializer.SetObjectData, WebSerializer.SetObjectData, FileSerializer.SetObjectData
usually: The target lacks a feature, site template or language that the source has, or is of an older build.
usually: An item, list or user of the package conflicts with one that is at the target, or the target web was created with another template.
usually(refusal): The account does not administer the target site.
usually(absence): A file of the package is missing, or a feature or assembly that it needs is not on this server.
check: The log file beside the package (.import.log) names the object that fails.
check: @features
check: @servers

[apply-theme] reading or applying a theme, composed look or design package
of: pages
frame: ThmxTheme, SPTheme, SPWeb.ApplyTheme, DesignPackage
usually: A file of the look, such as its palette, fonts or master page, is missing in the galleries of the site, or the theme files cannot be written.
usually(refusal): The user may not apply themes, or may not write to the gallery of themes in the root web.
usually(absence): A file of the look is missing in the galleries of the site.
check: The master pages and the theme of the web :: Get-SPWeb URL | Select-Object Url, MasterUrl, CustomMasterUrl, ThemedCssFolderUrl


[retention] applying retention to items
of: records
frame: ExpirationJobDefinition, Expiration
text: Error processing expiration of content in list
usually: An item that is due cannot be processed: it is checked out, on hold or locked, or the workflow or formula of the policy is gone.
usually(absence): The assembly of a custom formula or action of the policy is not on this server.
check: The jobs of retention :: Get-SPTimerJob | Where-Object Name -like '*xpiration*' | Select-Object Name, WebApplication, LastRunTime, IsDisabled
check: @lists

[policies] reading or setting information policies on content types and lists
of: records
frame: PolicyUpdatesJobDefinition, PolicyCollection, PolicyItemCollection, PolicyResourceCollection, PolicyCatalog
usually: The content type is read-only, or has a policy already: a child takes it from its parent and cannot have another.
usually(refusal): The account does not administer the site.
usually(sentence:150): The settings of a library's retention schedule may still have an address from before the site was moved or renamed, which does not fit the present one.
check: @types
check: @features

[declare-record] declaring a record, taking it back, or checking whether an item is one
of: records
frame: Records
usually: In-place records management is not active in the site, or the item is checked out, on hold, or a record already.
usually(refusal): The settings of the site or library do not let this user declare records or undeclare them.
check: @features
check: @receivers

[route-document] routing a document with the content organizer or to a records center, or reading its rules
of: document-management
frame: EcmDocumentRouter, EcmDocumentRoutingWeb, EcmDocumentRouterRule, RecordsRepositoryJobDefinition, OfficialFileCore, SPFile.SendToOfficialFile
usually: No rule fits the document, or the library or folder of the rule is gone or lacks the document's content type.
usually: A required column of the document is empty, so that it stays in the drop-off library.
usually(refusal): The sender is not in the group of the target site that may submit records.
usually(WebException): The address of the target (OfficialFile.asmx) does not answer, or refuses the account of the sender.
check: @features
check: @lists
check: @types

[document-set] reading, creating or updating document sets
of: document-management
frame: DocumentSet, DocumentSetTemplate, DocumentSetMetadataSyncJobDefinition, DocumentSetTemplateUpdateJobDefinition
usually: The feature for document sets is not active in the site, or the library does not have the content type.
usually: A set of this name is there already, or its welcome page or default documents are gone.
usually(refusal): The user may not add items to the library.
check: @features
check: @types

[document-ids] assigning or looking up document IDs
of: document-management
frame: DocumentId, OobProvider, DocumentIdProvider, DocIdEnableWorkItemJobDefinition, DocIdWorkItemJobDefinition
usually: The document ID feature is not active in the site, or the jobs that set it up have not run yet.
usually: A document is checked out or in a locked site, so that no ID can be written to it.
usually(absence): The assembly of a custom ID provider is not on this server.
check: The jobs of document IDs :: Get-SPTimerJob | Where-Object Name -like 'DocId*' | Select-Object Name, WebApplication, LastRunTime, IsDisabled
check: @features

[audit-log] writing, reading or trimming the audit log
of: records
frame: SPAudit, SPAuditEntryCollection, SPAuditQuery
usually: The audit table of the content database is very large, so that reading or trimming it takes longer than SQL Server may.
usually(refusal): The user does not administer the site.
check: Audit settings of the site :: Get-SPSite URL | Select-Object Url, TrimAuditLog, AuditLogTrimmingRetention, @{n='Flags'; e={$_.Audit.AuditFlags}}
check: @jobs

[ratings] rating or liking an item
of: social
frame: Reputation
usually: Ratings are not enabled for the list, so that it lacks their columns.
usually(refusal): The user may not rate here, or the list is in a site where the feature is not active.
check: @fields
check: @webfeatures

"""##,
        ##"""

@jobs = What timer jobs ran and how they ended :: Get-SPTimerJob | Sort-Object LastRunTime | Select-Object Name, LastRunTime, IsDisabled
@instances = The service is Online where it should run :: Get-SPServiceInstance | Sort-Object TypeName | Select-Object Server, TypeName, Status
@proxies = The proxy is there and in the web application's group :: Get-SPServiceApplicationProxyGroup | Select-Object FriendlyName, Proxies
@pools = Which accounts the pools of services run as :: Get-SPServiceApplicationPool | Select-Object Name, ProcessAccountName
@iispools = The application pools of IIS are started :: Get-IISAppPool | Select-Object Name, State
@databases = The databases exist and answer :: Get-SPDatabase | Select-Object Name, Server, Exists, NeedsUpgrade
@content = The content databases and their states :: Get-SPContentDatabase | Select-Object Name, Server, Status, NeedsUpgrade, CurrentSiteCount, MaximumSiteCount
@servers = Builds of all servers are the same :: Get-SPServer | Where-Object Role -ne Invalid | Select-Object Name, Role, Status, NeedsUpgrade
@product = What is installed, and what is missing where :: Get-SPProduct
@space = Free space of the drives :: Get-PSDrive -PSProvider FileSystem
@site = The site, its owner, lock and database :: Get-SPSite URL | Select-Object Url, Owner, ReadOnly, ReadLocked, WriteLocked, ContentDatabase
@features = Features that are active in the site :: Get-SPFeature -Site URL
@solutions = Solutions and where they are deployed :: Get-SPSolution | Select-Object Name, Deployed, DeployedServers, LastOperationResult
@mailset = What the web application sends mail with :: Get-SPWebApplication URL | Select-Object OutboundMailServiceInstance, OutboundMailSenderAddress
@smtp = The mail server answers from this server :: Test-NetConnection SMTPSERVER -Port 25
@timer = The timer and administration services run :: Get-Service SPTimerV4, SPAdminV4
@timerinstances = The Online timer service instances :: Get-SPServiceInstance | Where-Object TypeName -like '*Timer*' | Select-Object Server, Status
@fim = Both services run on the synchronization server :: Get-Service FIMService, FIMSynchronizationService
@cachehosts = The cache port of a host answers :: Test-NetConnection CACHEHOST -Port 22233
@mysites = The web application of the My Sites: self-service and managed paths :: Get-SPWebApplication URL | Select-Object SelfServiceSiteCreationEnabled, @{n='Paths'; e={(Get-SPManagedPath -WebApplication $_).Name}}
@searchhost = The search services of this server :: Get-Service OSearch*, SPSearchHostController -ErrorAction SilentlyContinue
@status = State of each component of search :: Get-SPEnterpriseSearchStatus -SearchApplication (Get-SPEnterpriseSearchServiceApplication) -Text
@ssas = The Analysis Services instances of this server and their accounts :: Get-CimInstance Win32_Service -Filter "Name LIKE 'MSOLAP%'" | Select-Object Name, State, StartName
@webconfig = What is wrong in web.config :: fastctl webconfig check FOLDER
@rows = The same request from its beginning :: fastctl logs trace CORRELATION LOGS
@machine-proxy = The proxy of the machine account :: netsh winhttp show proxy


[job-register] registering, changing, starting or removing a timer job
of: timer-jobs
frame: SPJobDefinition.Update, SPJobDefinition.Delete, SPJobDefinition.RunNow
usually(refusal): The account has no right to write to the configuration database: a feature that registers jobs is mostly refused in the pool of a content web application.
usually(SecurityException): Code in the pool of a content web application may not change jobs while RemoteAdministratorAccessDenied is on.
usually(SPDuplicateObjectException): A job of this name is registered already: an earlier activation left it, or the feature does not remove it before.
usually(SPUpdatedConcurrencyException): Another process changed the job since this one read it.
usually(absence): The class of the job is in an assembly that this server lacks.
check: The jobs of the web application :: Get-SPTimerJob -WebApplication URL | Select-Object Name, TypeName, LastRunTime
check: Whether content web applications may change the farm :: [Microsoft.SharePoint.Administration.SPWebService]::ContentService.RemoteAdministratorAccessDenied
check: @solutions

[job-status] reading which jobs run and how they ended
of: timer-jobs
frame: SPJobHistoryCollection, SPRunningJobCollection
usually(sql:4294967294): The history of jobs in the configuration database has grown so large that the query runs into its time-out.
usually(sql:229): The account that asks has no rights in the configuration database.
usually(refusal): The account that asks is no farm administrator.
check: When the job that deletes the history ran :: Get-SPTimerJob job-delete-job-history | Select-Object LastRunTime, DaysToKeepHistory, IsDisabled
check: @databases

[job-history] deleting old entries from the history of timer jobs
of: timer-jobs
frame: SPDeleteJobHistoryJobDefinition
usually(sql:4294967294): So many entries have gathered in the configuration database that they cannot be deleted within the time-out.
usually(sql:9002): The transaction log of the configuration database is full.
usually(sql:1105): The files of the configuration database cannot grow.
check: The job, and how many days it keeps :: Get-SPTimerJob job-delete-job-history | Select-Object LastRunTime, DaysToKeepHistory, IsDisabled
check: @databases

[timer-recycle] restarting the timer service as scheduled
of: timer-jobs
frame: SPTimerRecycleJobDefinition
text: The timer service failed to recycle
usually: A long job still ran, and the timer service waits for it only so long.
check: The jobs that run now :: Get-SPFarm | Select-Object -ExpandProperty TimerService | Select-Object -ExpandProperty RunningJobs | Select-Object JobDefinitionTitle, ServerName, StartTime
check: When the timer service began :: Get-Process OWSTIMER | Select-Object StartTime
check: @timer

[content-database-job] running a job over each content database
generic: yes
of: timer-jobs
frame: SPContentDatabaseJobDefinition
usually(sql:4060): A content database of the web application is not there, or the farm account has no user in it.
usually(sql:229): The farm account, as which jobs run, is no db_owner of a content database.
usually(sql:3906): A content database is read-only.
check: @content
check: @jobs

[work-items] working off queued work items of sites
generic: yes
of: timer-jobs
frame: SPWorkItemJobDefinition, SPWorkItemCollection
usually(refusal): The user for whom the work item was queued, or the farm account, has no rights on its site.
usually(absence): The site, web or list of a work item was deleted since it was queued.
usually(sql:4294967294): So many work items wait in the content database that the query runs into its time-out.
check: @jobs
check: @content

[service-job] running a job on the servers of its service
generic: yes
of: timer-jobs
frame: SPServiceJobDefinition, SPPausableJobDefinition
usually(refusal): The farm account, as which the timer service runs jobs, lacks the right on what the job works with.
usually(EndpointNotFoundException): The service application of the job does not answer: its service is not started on any server, or the IIS site SharePoint Web Services does not answer there.
check: @jobs
check: @instances
check: @timerinstances


[unused-sites] asking the owners of unused sites whether they still need them
of: sites
frame: SPDeadSiteDeleteJobDefinition
usually: The mail to the owner could not be sent: outgoing mail of the web application is not set up or refused, or the owner has no address.
usually(SmtpException): The mail server refuses the mail to the site's owner from the server that runs the job.
usually(refusal): The farm account has no rights in the site's content database, or the site is locked.
check: Whether it is on, and whether sites are deleted :: Get-SPWebApplication URL | Select-Object SendUnusedSiteCollectionNotifications, UnusedSiteNotificationPeriod, AutomaticallyDeleteUnusedSiteCollections
check: @mailset
check: @site

[quota-warning] looking for sites that exceed their quota, and warning their owners
of: sites
frame: SPDiskQuotaWarningJobDefinition
usually: The warning could not be sent: outgoing mail of the web application is not set up or refused, or the owner has no address.
usually(SmtpException): The mail server refuses the warning from the server that runs the job.
usually(sql:4294967294): A content database is so large or busy that its sites cannot be read within the time-out.
check: @mailset
check: @smtp
check: The quota of the site and what is used of it :: Get-SPSite URL | Select-Object -Property Usage, Quota, Owner

[storage-metrics] adding up how much storage folders and libraries use
of: content-database
frame: SPStorageMetricsProcessingJobDefinition
usually(sql:4294967294): A content database has so many changes to add up that the job runs into its time-out.
usually(sql:1205): Other jobs or users worked on the same rows; the job tries again on its next run.
usually(sql:3906): The content database is read-only.
check: @content
check: @jobs

[web-config-job] writing registered changes into web.config on this server
of: web-config
frame: SPWebConfigJobDefinition
usually: The path of a registered change is no valid XPath for the web.config of this server.
usually(refusal): The farm account may not write to the folder of the web application's IIS site, or web.config is write-protected.
usually(XmlException): The web.config on this server is not well-formed.
usually(absence): The IIS site of a zone, its folder or its web.config is missing on this server.
check: The changes that are registered :: Get-SPWebApplication URL | Select-Object -ExpandProperty WebConfigModifications | Select-Object Owner, Path, Name
check: @webconfig
check: @timer

[iis-site-remove] removing the IIS site of a web application from a server
of: iis-config
frame: SPIisWebsiteUnprovisioningJobDefinition
usually(refusal): The account of the job is no local administrator of this server, which IIS requires.
usually(IOException): A file in the folder of the IIS site is in use.
usually(COMException): IIS on this server refused the change: its settings cannot be read or written.
check: The sites of IIS on this server and their folders :: Get-Website | Select-Object Name, PhysicalPath, State
check: @timer

[ceip-data] collecting data for the customer experience improvement program
frame: SPSqmTimerJobDefinition
usually(refusal): The farm account may not read what the job counts, or not write to the folder of its data.
usually(sql:4294967294): A database is so large or busy that the job's questions run into their time-out.
check: The job :: Get-SPTimerJob job-ceip-datacollection | Select-Object LastRunTime, IsDisabled
check: @databases

[log-diagnostics] collecting entries of event logs and ULS logs for the logging database
of: usage
frame: SPDiagnosticsEventLogProvider, SPDiagnosticsULSProvider
usually(refusal): The farm account may not read the event log or the folder of the ULS logs on this server.
usually(sql:1105): The logging database cannot grow: its disk is full, or it has reached its limit.
usually(sql:9002): The transaction log of the logging database is full.
check: The providers and which are on :: Get-SPDiagnosticsProvider | Select-Object Name, Enabled, LastRunTime
check: Who may read event logs on this server :: Get-LocalGroupMember -Group 'Event Log Readers'
check: @databases

[site-policy-job] closing and deleting sites by their site policy, or reading it
of: records
frame: ProjectPolicyJobDefinition, ProjectPolicy
usually: The policy that the site names is not among the site collection's policies.
usually(SmtpException): The mail about the coming deletion could not be sent: the mail server refuses it.
usually(refusal): The site is locked or its content database is read-only.
check: @site
check: @features
check: @mailset

[hold-job] processing holds and their reports
of: discovery
frame: HoldProcessingJobDefinition
usually: The list Holds of the site, or something that a hold refers to, was changed or deleted.
usually(refusal): The farm account has no rights in the content database, or the site is locked.
check: @features
check: @site
check: @jobs

[scheduled-publishing] publishing or withdrawing pages on their dates, or reading the dates
of: publishing
frame: ScheduledItem
usually: The library has no content approval with minor versions, or its scheduling is off.
usually(refusal): The user may not approve items of the library.
check: The library's versioning and approval :: Get-SPWeb URL | Select-Object -ExpandProperty Lists | Select-Object Title, EnableModeration, EnableMinorVersions, ForceCheckout
check: @features

[web-analytics] working with the Web Analytics service of SharePoint 2010
generic: yes
of: usage
frame: WebAnalyticsServiceApplicationProxy, WebAnalyticsServiceApplication
usually: The Web Analytics services are not started on any server, or the web application has no proxy of it.
usually(sql:229): The account of the service application lacks its rights in the staging or reporting database.
usually(EndpointNotFoundException): No server runs the Web Analytics Web Service, or the IIS site SharePoint Web Services does not answer there.
check: @instances
check: @proxies
check: @databases


[search-schedule] starting crawls on their schedule and looking after crawls
of: crawler
frame: IndexingScheduleJobDefinition
usually: The search service of this server does not run or answer, or the Search administration database does not.
usually(sql:229): The farm account lacks its rights in the Search administration database.
usually(COMException): The search service of this server refused the call: it starts, stops or has failed.
check: @searchhost
check: @status
check: @databases

[search-statistics] collecting statistics of crawls and queries for the reports of search
of: search-admin
frame: HealthStatUpdateJobDefinition, TraceDiagnosticsProvider
usually: The search service of this server or the Search administration database does not answer.
usually(sql:229): The farm account lacks its rights in the databases of Search or the logging database.
usually(sql:1105): The database of the statistics cannot grow.
usually(sql:4294967294): The tables of the statistics have grown so large that the job runs into its time-out.
check: @status
check: @databases
check: @jobs

[query-log] moving logged queries into the databases of search
of: search-query
frame: QueryLogJobDefinition
usually: No Search service application answers for the web application.
usually(sql:229): The farm account lacks its rights in the database of Search.
usually(sql:4294967294): So many queries wait that they cannot be moved within the time-out.
check: @status
check: @proxies
check: @databases


[sync-setup-job] configuring or removing the synchronization engine on its server
of: profile-sync
frame: ProfileSynchronizationSetupJob, ProfileSynchronizationUnprovisionJob
usually: The farm account is no local administrator of the synchronization server, or its password differs from the one that was given at the start.
usually(refusal): The farm account is no local administrator of the synchronization server, or the timer service has not been started again since it became one.
usually(sql:229): The farm account is no db_owner of the synchronization database.
usually(win32:1069): The password that was given at the start of the service is wrong, or the farm account may not log on as a service.
check: The administrators of this server, the farm account among them :: Get-LocalGroupMember -Group Administrators
check: @fim
check: @instances

[sync-languages] adding texts of new languages to the properties of profiles
of: user-profiles
frame: LanguageSynchronizationJob
usually: The profile database does not answer, or the farm account has no rights there.
usually(refusal): The farm account, as which the job runs, is not among the administrators of the User Profile service application.
usually(sql:229): The farm account lacks its rights in the profile database.
check: @jobs
check: @databases
check: @product

[my-site-mail] mailing suggestions to the owners of My Sites
of: my-sites
frame: MySiteEmailJob
usually: The My Site host of the User Profile service application is not set or does not open.
usually(SmtpException): The mail server refuses mail from the server that runs the job.
check: @mailset
check: @smtp
check: @mysites

[sync-agent] exchanging profiles between the synchronization engine and the profile database
of: profile-sync
frame: ProfileImportExportExtension
usually: The User Profile service application or its web service does not answer on the synchronization server.
usually(EndpointNotFoundException): The User Profile Service, or the IIS site SharePoint Web Services, does not answer on the synchronization server.
usually(refusal): The farm account, as which the engine runs, has no Full Control in the permissions or administrators of the User Profile service application.
usually(sql:229): The account of the User Profile service's pool lacks its rights in the profile database.
usually(TimeoutException): The User Profile web service or its database is too slow for the batch.
check: @fim
check: @iispools
check: @pools

[profile-photos] making or reading the pictures of profiles
of: my-sites
frame: UserProfilePhotos
usually: The My Site host has no library User Photos yet, or the My Site host is not set.
usually: The picture is no valid image, or in a format that SharePoint does not read.
usually(refusal): The account that runs it has no rights on the site of the My Site host, or is no administrator of the User Profile service application.
usually(ArgumentException): The picture is no valid image.
check: The site of the My Site host :: Get-SPSite MYSITEHOST | Select-Object Url, ReadOnly, ContentDatabase
check: The library of the pictures :: Get-SPWeb MYSITEHOST | Select-Object -ExpandProperty Lists | Where-Object Title -like '*Photos*' | Select-Object Title, ItemCount
check: @proxies

[fim-host] starting or running the service of Forefront Identity Manager with its database
of: profile-sync
text: HostId is not registered
usually: The synchronization database was restored, replaced or used by another server, and knows this server's FIMService no more.
check: @fim
check: @databases
check: @instances


[health-results] reading or writing the lists of health rules and their findings
of: health
frame: SPHealthReportsList, SPHealthRulesList
usually: The site of Central Administration or its list of findings does not open from this server.
usually(refusal): The account has no rights in the content database of Central Administration.
usually(sql:229): The account has no rights in the content database of Central Administration.
check: The web application of Central Administration :: Get-SPWebApplication -IncludeCentralAdministration | Where-Object IsAdministrationWebApplication | Select-Object Url, ContentDatabases
check: @jobs

[health-rule-code] running the check or repair of a health rule
generic: yes
of: health
frame: SPHealthAnalysisRule, SPRepairableHealthAnalysisRule, SPHealthAnalyzer
usually(refusal): The farm account, as which rules run, lacks the local right or the SQL Server right that the rule needs.
usually(absence): What the rule looks at, or the rule's assembly, is not on this server.
check: The rules, and which are on :: Get-SPHealthAnalysisRule | Select-Object Name, Enabled, Summary
check: @timer

[rule-disk] checking the free space of drives (health rule)
of: health
text: Drives are running out of free space
text: Drives are at risk of running out of free space
usually: The drive has less free space than a multiple of the server's memory that the rule demands.
usually: Old logs fill the drive: ULS logs, usage files, logs of IIS or crash dumps.
check: @space
check: Where ULS logs are kept, how long and how much :: Get-SPDiagnosticConfig | Select-Object LogLocation, DaysToKeepLogs, LogMaxDiskSpaceUsageEnabled, LogDiskSpaceUsageGB
check: Free memory and memory of the server, in KB :: Get-CimInstance Win32_OperatingSystem | Select-Object FreePhysicalMemory, TotalVisibleMemorySize

[rule-farm-account] checking that the farm account does nothing else (health rule)
of: health
text: The server farm account should not be used for other services
usually: A service or an application pool other than that of Central Administration and the timer service runs as the farm account.
check: The pools of services and their accounts :: Get-SPServiceApplicationPool | Select-Object Name, ProcessAccountName
check: The pools of web applications and their accounts :: Get-SPWebApplication | Select-Object Url, @{n='Account'; e={$_.ApplicationPool.Username}}
check: The farm account :: Get-SPFarm | Select-Object DefaultServiceAccount

[rule-local-administrators] checking that accounts of services are no local administrators (health rule)
of: health
text: Accounts used by application pools or service identities are in the local machine Administrators group
usually: The account of a pool or service is in the local group Administrators, as the farm account is for the start of the profile synchronization.
check: The administrators of this server :: Get-LocalGroupMember -Group Administrators
check: @pools

[rule-builtin-accounts] checking that services run as accounts of the domain (health rule)
of: health
text: Built-in accounts are used as application pool or service identities
usually: A pool or service of SharePoint runs as Network Service, Local Service or Local System, as some are set up by default.
check: @pools
check: The Windows services of SharePoint and their accounts :: Get-CimInstance Win32_Service -Filter "Name LIKE 'SP%' OR Name LIKE 'OSearch%'" | Select-Object Name, StartName

[rule-database-size] checking the size of content databases (health rule)
of: health
text: Some content databases are growing too large
usually: A content database is larger than the size at which the rule warns; SharePoint goes on working with it.
check: The content databases and their sizes in bytes :: Get-SPContentDatabase | Select-Object Name, DiskSizeRequired, CurrentSiteCount
check: The largest sites :: Get-SPSite -ContentDatabase DATABASE -Limit All | Sort-Object {$_.Usage.Storage} | Select-Object Url, @{n='Bytes'; e={$_.Usage.Storage}}

[rule-orphans] checking content databases for orphaned items (health rule)
of: health
text: Content databases contain orphaned items
usually: Rows without their site, web or list were left in the database by a restore, a deletion or an upgrade that broke off.
usually(sql:4294967294): The check of a large content database runs into its time-out.
check: @content
check: What sites refer to and the farm lacks :: Test-SPContentDatabase -Name DATABASE -WebApplication URL

[rule-upgrade] checking that servers and databases are at the same build (health rule)
of: upgrade
text: Product / patch installation or server upgrade required
text: Databases running in compatibility range, upgrade recommended
text: Databases require upgrade or not supported
usually: A patch was installed, and the configuration wizard or the upgrade of the databases has not run on each server since.
usually: A server lacks a product or patch that the others have.
check: @servers
check: @product
check: @databases

[rule-dependencies] checking for files, features and web parts that the farm lacks (health rule)
of: upgrade-missing
text: Missing server side dependencies
usually: Sites still refer to a feature, setup file, assembly or web part of a solution that was retracted, or was never deployed in this farm.
check: What sites of a database refer to and the farm lacks :: Test-SPContentDatabase -Name DATABASE -WebApplication URL
check: @solutions

[rule-server-answers] checking that all servers of the farm answer (health rule)
of: health
text: One or more servers is not responding
usually: A server that is registered in the farm is off, was removed without leaving the farm, or its timer service does not run.
check: @servers
check: @timerinstances

[rule-services] checking that services run as the farm has them (health rule)
of: health
text: One or more services have started or stopped unexpectedly
usually: A Windows service of SharePoint is stopped or disabled on a server, while the farm has it as started, or the other way round.
check: The Windows services of SharePoint :: Get-CimInstance Win32_Service -Filter "Name LIKE 'SP%' OR Name LIKE 'OSearch%' OR Name LIKE 'FIM%' OR Name='c2wts'" | Select-Object Name, State, StartMode, StartName
check: @instances

[rule-web-config] comparing the web.config files of all servers (health rule)
of: web-config
text: Web.config files are not identical on all machines in the farm
usually: A web.config was changed by hand on one server, or a solution's or feature's change did not come to all servers.
check: @webconfig
check: The changes that are registered :: Get-SPWebApplication URL | Select-Object -ExpandProperty WebConfigModifications | Select-Object Owner, Path, Name

[rule-mail] checking that outgoing mail is set up (health rule)
of: mail-out
text: Outbound e-mail has not been configured
usually: The farm has no mail server in the outgoing mail settings of Central Administration.
check: @mailset

[rule-token-service] checking that the token service answers on each server (health rule)
of: sign-in
text: The Security Token Service is not available
usually: The pool SecurityTokenServiceApplicationPool on the server is stopped, or the token service fails while it starts.
check: @iispools
check: The port of the token service answers on this server :: Test-NetConnection localhost -Port 32843
check: Free memory of the server, in KB :: Get-CimInstance Win32_OperatingSystem | Select-Object FreePhysicalMemory

[rule-state-service] checking the State Service (health rule)
of: state-service
text: All State Service databases are paused for a State Service Application
text: because no State Service connection is configured
usually: The State Service was never set up, its proxy is not in the web application's group, or its databases are paused.
check: Its databases :: Get-SPStateServiceDatabase
check: @proxies

[rule-cache-host] checking the hosts of the Distributed Cache (health rule)
of: distributed-cache
text: This Distributed Cache host may cause cache reliability problems
text: Firewall client settings on the cache host are incorrect
text: More Cache hosts are running in this deployment than are registered with SharePoint
usually: The server of a cache host runs other heavy services or has too little memory, or its firewall or its registration does not fit the cluster.
check: @cachehosts
check: @instances
check: The Windows service on each host (SPCache in the Subscription Edition) :: Get-Service AppFabricCachingService, SPCache -ErrorAction SilentlyContinue

[rule-paging-file] checking the size of the paging file (health rule)
of: health
text: The paging file size should exceed the amount of physical RAM
usually: The paging file of the server is smaller than its memory, as on servers with much memory; SharePoint goes on working.
check: The paging files of this server :: Get-CimInstance Win32_PageFileUsage | Select-Object Name, AllocatedBaseSize

[rule-sql-on-server] checking that databases are not on SharePoint's servers (health rule)
of: health
text: Databases exist on servers running SharePoint Foundation
usually: SQL Server runs on a server of the farm; on a farm of one server this is as it was set up.
check: The databases and their servers :: Get-SPDatabase | Select-Object Name, Server

[rule-app-domain] checking the domain of add-ins (health rule)
of: app-management
text: One or more app domains for web applications aren't configured correctly
usually: The app domain is a child or parent of the domain of a web application, or DNS does not answer for names below it.
check: The app domain :: Get-SPAppDomain
check: Any name below the app domain resolves here :: Resolve-DnsName app-test.APPDOMAIN
check: The prefix of app addresses :: Get-SPAppSiteSubscriptionName


[page-rights] checking the rights that a page of _layouts asks for
of: pages
frame: LayoutsPageBase.CheckRights
usually(refusal): The user has not the permission level that this page demands, such as Manage Web Site for site settings.
check: The users of the site as SharePoint knows them :: Get-SPUser -Web URL
check: @site

[layouts-page] showing a page of _layouts
generic: yes
of: pages
frame: LayoutsPageBase, UnsecuredLayoutsPageBase
usually(refusal): The user lacks the permission that the page demands, or the site is locked.
usually(absence): The list, item or file in the address of the page is not there, or a file of the page is missing on this server.
check: @rows
check: @site

[admin-page] showing a page of Central Administration
generic: yes
of: pages
frame: GlobalAdminPageBase
usually(refusal): The user is no farm administrator, or the browser on the server runs without elevation and so without the rights of a local administrator.
usually(sql:229): The account of Central Administration's pool lacks a right in the database of the page.
usually(absence): An object of the farm is of a class whose assembly this server lacks.
check: The farm administrators :: Get-SPWebApplication -IncludeCentralAdministration | Where-Object IsAdministrationWebApplication | Get-SPSite | Get-SPWeb | Select-Object -ExpandProperty SiteGroups | Select-Object Name, Users
check: @servers

[access-denied] turning a refused call into the page that tells of no access
generic: yes
of: security
frame: SPUtility.HandleAccessDenied, SPUtility.SendAccessDeniedHeader, AccessDeniedPage
usually(refusal): The user has no right on the site, list or item of the address, or the site is locked.
check: @site
check: Who has which rights by policy of the web application :: Get-SPWebApplication URL | Select-Object -ExpandProperty Policies
check: @rows

[redirect-page] sending the browser to another page
generic: yes
of: pages
frame: SPUtility.Redirect, SPUtility.TransferToErrorPage, SPUtility.TransferToSuccessPage
usually(ThreadAbortException): A redirect ends the page by aborting its thread: this exception alone is no failure. An earlier row of the request may tell of one.
check: @rows

[long-operation] showing the page that waits while something long is done
generic: yes
of: pages
frame: SPLongOperation
usually(ThreadAbortException): The waiting page ends by aborting its thread, which is no failure, or the request took longer than executionTimeout.
usually(HttpException): The browser closed the connection, or the request took longer than executionTimeout.
check: @rows

[features-page] showing the features of a site, or switching one on or off, in their page
generic: yes
of: solutions
frame: FeatureActivator, FeatureActivatorItem
usually(refusal): The user has no Full Control on the site, or is no site collection administrator for a feature of the site collection.
usually(absence): The files or the assembly of a feature that the page lists are not on this server.
check: @features
check: @solutions
check: @rows

[navigation-page] showing or saving the navigation settings of a site
of: navigation
frame: AreaNavigationSettingsPage
usually: A node of the navigation points to a page or web that is gone, or the web has no Pages library as the settings name it.
usually: The web is set to managed navigation, and its term set or the Managed Metadata service does not answer.
usually(refusal): The user has no Manage Web Site on this web or on the one from which it inherits its navigation.
check: The nodes of the web :: Get-SPWeb URL | Select-Object Url, @{n='Global'; e={$_.Navigation.GlobalNodes.Count}}, @{n='Current'; e={$_.Navigation.QuickLaunch.Count}}
check: Features that are active in the web :: Get-SPFeature -Web URL
check: @proxies

[publishing-settings-page] showing or choosing page layouts, master pages or the welcome page of a site
of: publishing
frame: AreaTemplateSettingsPage, ChangeSiteMasterPage, AreaWelcomePage
usually: A page layout or master page that the web's properties name was deleted or renamed in the gallery.
usually: The publishing features are not active both in the site collection and in the web.
usually(refusal): The user may not change the web, or may not read the master page gallery.
check: @features
check: Features that are active in the web :: Get-SPFeature -Web URL
check: The master pages of the web :: Get-SPWeb URL | Select-Object Url, MasterUrl, CustomMasterUrl

[view-page] showing or saving the settings page of a view
of: lists
frame: ViewEditPage, ViewNewPage
usually: The view or a column of its filter, sorting or grouping was deleted, or another user changed the view at the same time.
usually(refusal): The user may not manage the list's views, or may create only personal ones.
check: The views of the list :: Get-SPWeb URL | Select-Object -ExpandProperty Lists | Where-Object Title -eq LIST | Select-Object -ExpandProperty Views | Select-Object Title, ID, PersonalView

[column-page] showing or saving the settings page of a column
of: content-types
frame: BasicFieldEditPage
usually: The definition of the column or of its type comes from a solution that is not deployed here, or the list of a lookup column is gone.
usually(refusal): The user may not manage lists, or for site columns has no Full Control of the site.
check: The columns of the list :: Get-SPWeb URL | Select-Object -ExpandProperty Lists | Where-Object Title -eq LIST | Select-Object -ExpandProperty Fields | Select-Object InternalName, TypeAsString, LookupList
check: @solutions

[workflow-form-page] showing the InfoPath form of a workflow or its task
of: workflow-2010
frame: IniWrkflIPPage, WrkTaskIPPage, CstWrkflIPPage
usually: The State Service is not set up for the web application, or the form template of the workflow is not published.
usually: The content type or a column of the task or of the association was changed or deleted.
usually(refusal): The user may not edit the item or the task, or may not start workflows.
check: Its databases :: Get-SPStateServiceDatabase
check: @proxies
check: The form templates of the farm :: Get-SPInfoPathFormTemplate | Select-Object DisplayName, FormTemplateStatus, Activated

[people-control] choosing people in a control of a page
generic: yes
of: people-picker
frame: PeopleEditor, ClientPeoplePicker, SPClientPeoplePickerWebServiceInterface
usually(TimeoutException): A domain, directory or claim provider that is searched for people does not answer in time.
usually(refusal): The account of the pool may not search the domain, or the user may not browse user information of the site.
check: What the people picker of the web application is set to :: Get-SPWebApplication URL | Select-Object -ExpandProperty PeoplePickerSettings
check: The claim providers :: Get-SPClaimProvider | Select-Object DisplayName, IsEnabled, IsVisible
check: A domain controller is found :: nltest /dsgetdc:DOMAIN


[ribbon] building the ribbon of a page
of: pages
frame: SPRibbon, SPRibbonScriptManager
usually: The XML of a command in a feature's or user's custom action is not valid, or two commands have the same ID.
usually(XmlException): The XML of a command in a custom action is not well-formed.
check: @features
check: The custom actions of the web :: Get-SPWeb URL | Select-Object -ExpandProperty UserCustomActions | Select-Object Name, Location, RegistrationId

[custom-actions] reading or adding custom actions
of: solutions
frame: SPCustomActionElement, SPUserCustomAction, SPUserCustomActionCollection
usually: The definition of a custom action is not valid: its XML, its location or its registration.
usually(XmlException): The XML of the custom action's command is not well-formed.
usually(absence): The assembly or the control of a custom action is not on this server.
usually(refusal): The user has no Full Control on the site or list, or the web application does not allow scripts and customization there.
check: The custom actions of the web :: Get-SPWeb URL | Select-Object -ExpandProperty UserCustomActions | Select-Object Name, Location, RegistrationId
check: @solutions

[my-site-links] showing the user's links to My Site, newsfeed and notes on a page
generic: yes
of: my-sites
frame: MyLinksRibbon, SocialNotificationControl
usually(EndpointNotFoundException): The User Profile service does not answer: it is not started on any server, or the IIS site SharePoint Web Services does not answer there.
usually(FaultException): The User Profile service application failed: its own rows of the same moment say why.
usually(refusal): The account of the web application's pool may not use the User Profile service application.
check: @proxies
check: @instances
check: @iispools

[feed-part] reading an address for an RSS or XML viewer web part
of: web-parts
frame: RSSAggregatorWebPart, XmlWebPart
usually: The server has no way to the address: name resolution, firewall or the proxy in web.config.
usually: The address asks for a sign-in that the web part cannot give, as NTLM without Kerberos delegation.
usually(WebException): The address does not answer this server, or answers with an error.
usually(XmlException): The address does not answer with well-formed XML: often it is a page of a sign-in or of an error.
check: The proxy in web.config of the web application :: Select-String -Path C:\inetpub\wwwroot\wss\VirtualDirectories\*\web.config -Pattern 'defaultProxy|proxyaddress'
check: @machine-proxy
check: The address answers from this server :: Test-NetConnection FEEDHOST -Port 443

[linked-content-part] reading the file that a content editor web part shows
of: web-parts
frame: ContentEditorWebPart
usually: The file of the content link was moved or deleted, or the link leads to another server or web application.
usually(refusal): The user may not read the file of the content link, or it is not published.
usually(WebException): The address of the content link does not answer this server.
check: The content link in the properties of the web part.
check: @site

[publishing-parts] showing summary links or a table of contents
of: publishing
frame: SummaryLinkWebPart, SummaryLinkFieldControl, TableOfContentsWebPart
usually: A style file of the web part in the library Style Library was deleted, is not published, or was changed so that it is no valid XSLT.
usually: The web part starts at a web or page that was deleted.
usually(absence): The style files in the library Style Library are missing or were never published.
usually(XsltException): A style file in the library Style Library was changed so that it is no valid XSLT.
check: The files in Style Library, in the folder XSL Style Sheets, and whether they are published.
check: @features

[profile-page] showing or editing a profile on a page
of: user-profiles
frame: ProfileEditor, ProfilePropertyLoader
usually: The user has no profile, or the User Profile service of the web application does not answer.
usually: A property of the profile has a term set that is gone, or the Managed Metadata service does not answer.
usually(refusal): The user may not edit this profile, or may not create a personal site or use social features by the user permissions.
check: @proxies
check: @instances
check: @iispools

[note-board] showing notes or a tag cloud on a page
of: social
frame: SocialCommentWebPart, TagCloudWebPart
usually: The User Profile service or its social database does not answer.
usually(refusal): The user may not use social features by the user permissions of the User Profile service application.
check: @proxies
check: @databases
check: @instances

[date-control] showing or reading a date in a control of a page
of: pages
frame: DateTimeControl
usually: The date is not in the form of the user's or web's regional settings, or is outside of what SharePoint takes (from 1900 on).
usually(ArgumentOutOfRangeException): Code gives the control a date that SharePoint does not take, such as an empty one (year 1).
check: The regional settings of the web :: Get-SPWeb URL | Select-Object Locale, @{n='Zone'; e={$_.RegionalSettings.TimeZone.Description}}

[date-text] turning a text into a date or back
frame: SPUtility.CreateDateTimeFromISO8601DateTimeString, SPUtility.CreateISO8601DateTimeFromSystemDateTime
usually: The text is no date in ISO 8601, as 2020-12-31T23:59:59Z: code gives it in the form of a language, or with nothing in it.
check: The value of the column that the code reads: it has to be in ISO 8601, not in a regional form.


[request-module] handling a request in SharePoint's module, before and after its page
generic: yes
of: core
frame: SPRequestModule, SPRequestModuleData
usually(refusal): The account of the pool lacks a right on the folder of the web application or in the content database, or the user on the site.
usually(absence): No site or file is at the address, or a file of the web application is missing on this server.
usually(HttpException): The address is not valid, or the browser closed the connection before the answer.
usually(sql:18456): The account of the pool has no login on the instance of the content or configuration database.
check: The addresses of the web applications and their zones :: Get-SPAlternateURL
check: @rows
check: @databases

[app-start] starting a web application in its pool, or running in its application object
of: core
frame: SPHttpApplication
usually: The web.config of the web application names a class or assembly that this server lacks, or its global.asax was changed.
usually(absence): The web.config of the web application names a module or assembly that this server lacks.
usually(ConfigurationErrorsException): The web.config of the web application is not valid on this server.
usually(sql:18456): The account of the pool has no login on the instance of the configuration database.
usually(refusal): The account of the pool may not read SharePoint's registry key, the folder of the web application or the configuration database.
check: @webconfig
check: @iispools
check: Whether the pool's account is in SharePoint's local group :: Get-LocalGroupMember -Group WSS_WPG

[publishing-module] handling a request in the publishing module
generic: yes
of: publishing
frame: PublishingHttpModule
usually(refusal): The accounts of the object cache are not set, or have no policy on the web application.
usually(absence): A folder of the BLOB cache in web.config does not exist, or the page of the address does not.
check: The accounts of the object cache :: Get-SPWebApplication URL | Select-Object -ExpandProperty Properties
check: Policies of the web application :: Get-SPWebApplication URL | Select-Object -ExpandProperty Policies
check: @webconfig

[object-cache-read] reading a web, page or item through the object cache of publishing
generic: yes
of: object-cache
frame: CachedArea, CachedPage, CachedListItem, CachedObjectFactory, CachedObject
usually(refusal): The Portal Super User or Super Reader account is not set, is not given as a claim, or has no policy on the web application.
usually(absence): The web, page or page layout in the cache was deleted or renamed meanwhile.
check: The accounts of the object cache :: Get-SPWebApplication URL | Select-Object -ExpandProperty Properties
check: Policies of the web application :: Get-SPWebApplication URL | Select-Object -ExpandProperty Policies

[http-throttle] checking whether the server is too busy to take requests
of: throttling
frame: SPHttpThrottleSettings, SPHttpThrottle
usually: The server has less free memory than the throttle demands, or too many requests wait in the queue of ASP.NET.
usually(refusal): The account of the pool may not read performance counters: it is not in the local group Performance Monitor Users.
check: What is measured, and at which values it throttles :: Get-SPWebApplicationHttpThrottlingMonitor -Identity URL
check: Free memory of the server, in KB :: Get-CimInstance Win32_OperatingSystem | Select-Object FreePhysicalMemory, FreeVirtualMemory
check: What was slow then :: fastctl logs slow LOGS

[request-resources] counting what one request of the client API or of an app uses
of: client
frame: SPResourceTally
text: The request uses too many resources
usually: The request asks for more objects at once than SharePoint allows one request: too many calls, or items with too many parts, in one batch.
check: The limits of the client API :: Get-SPWebApplication URL | Select-Object -ExpandProperty ClientCallableSettings
check: Whether the caller sends fewer objects per batch, or asks for named properties only.

[cache-read] reading or writing the Distributed Cache
of: distributed-cache
frame: SPDistributedCache
text: SPDistributedCache is probably down
usually: No host of the Distributed Cache is started, or the cluster's hosts do not fit those that SharePoint has registered.
usually: A firewall between the server and the hosts of the cache blocks TCP 22233 to 22236.
usually(refusal): The account of the process is not among the accounts that the cache cluster allows.
usually(DataCacheException): The host of the cache does not answer this server in time, or is short of memory.
check: @cachehosts
check: @instances
check: The Windows service on each host (SPCache in the Subscription Edition) :: Get-Service AppFabricCachingService, SPCache -ErrorAction SilentlyContinue

[feed-cache-call] reading or filling the feed cache for a user or for recent activities
of: microfeed
frame: FeedCacheService
text: Unexpected exception in FeedCacheService
usually: The Distributed Cache does not answer, or has been restarted and is not filled again yet.
usually: The personal site of the user is not there or locked, or the user is not found in it.
usually(refusal): The account of the web application's pool or the farm account has no Full Control in the permissions of the User Profile service application.
check: @cachehosts
check: The jobs that fill the feed cache :: Get-SPTimerJob | Where-Object Name -like '*Repopulation*' | Select-Object Name, LastRunTime, IsDisabled
check: @mysites

[user-token] making the token of a user, or reading the user's name from it
of: sign-in
frame: SPUserToken, SPWeb.GetUserToken
text: GetClaimsUserLoginName
usually: The user's account was deleted, renamed or moved in the directory, or its name is not in the form of encoded claims that the web application uses.
usually: The directory does not answer this server when it is asked for the user's groups.
usually(refusal): The account of the process may not read the groups of users in the directory: it is not in the domain's Windows Authorization Access Group.
usually(ArgumentException): The name is not in the form of encoded claims, such as i:0#.w|DOMAIN\user, or no such account is in the directory.
check: The user as the site knows it :: Get-SPUser -Web URL
check: Whether the account is there and not locked :: net user ACCOUNT /domain
check: A domain controller is found :: nltest /dsgetdc:DOMAIN


[project-queue] running a job of Project Server's queue
generic: yes
of: project
text: GeneralQueueJob
usually: The row only sums up: the row before it, and the job's error in Manage Queue Jobs, name the object and the cause.
check: The job in Manage Queue Jobs, with its whole error, and the jobs of the same project before it.
check: @databases
check: The Windows services of Project Server on this server :: Get-Service Project* -ErrorAction SilentlyContinue

[project-queue-blocked] running a queue job that an earlier job of the same project blocks
of: project
text: GeneralQueueCorrelationBlocked
usually: An earlier job of the same project or timesheet failed, and those after it wait until it is retried or cancelled.
check: The job in Manage Queue Jobs, with its whole error, and the jobs of the same project before it.
check: @databases

[project-queue-publish] publishing a project, in a job of the queue
of: project
text: Failed job type: ProjectPublish
usually: The project has a task, resource or custom field value that the published tables do not take, or an earlier job of the project failed.
usually(sql:4294967294): The project is so large, or the database so busy, that it cannot be published within the time-out.
check: The job in Manage Queue Jobs, with its whole error, and the jobs of the same project before it.
check: @databases

[project-queue-save] saving a project, in a job of the queue
of: project
text: Failed job type: ProjectUpdate
text: Failed job type: ProjectCreate
text: ProjectSchedulingEngineException
usually: The change does not fit the project: a value, a link or an assignment that the scheduling engine refuses, or something that is gone meanwhile.
usually: The project is not checked out to the session that saves it.
check: The job in Manage Queue Jobs, with its whole error, and the jobs of the same project before it.
check: The Windows services of Project Server on this server :: Get-Service Project* -ErrorAction SilentlyContinue

[project-queue-reporting] writing a published project into the tables for reports
of: project
text: Failed job type: ReportingProjectPublish
text: ReportProjectPublishMessageEx
usually: The tables for reports do not agree with the published data: a resource, custom field or lookup table is missing or stands there otherwise.
usually(sql:547): The tables for reports lack a row that this one refers to, such as a resource, a task or a lookup value.
usually(sql:2627): The tables for reports have the row already: they do not agree with the published data.
check: The job in Manage Queue Jobs, with its whole error, and the jobs of the same project before it.
check: @databases
check: @space

[project-queue-site] creating the site of a project, in a job of the queue
of: project
text: CreateWssSiteContentMessage
usually: The site template of the project type is missing or not available in the site's language, or a site stands at the address already.
usually(refusal): The user for whom the job runs, or the account of the service, may not create sites below Project Web App.
usually(absence): A feature or file of the project site's template is missing on this server.
check: The job in Manage Queue Jobs, with its whole error, and the jobs of the same project before it.
check: The site at the address :: Get-SPWeb URL | Select-Object Url, WebTemplate, Created
check: The templates and their languages :: Get-SPWebTemplate

[project-interop] working with the sites of projects, from Project Server
of: project
frame: WssInterop
usually: The project points to a site that was deleted, moved or renamed (Connected SharePoint Sites).
usually(refusal): The account of the service application has no rights in the content database of the project sites.
check: The sites of the projects, in Connected SharePoint Sites of Project Web App.
check: @content
check: @pools

[project-check-out] checking a project, resource or field in Project Server out or in
of: project
text: CICOCheckedOutToOtherUser
text: CICOCheckedOutInOtherSession
text: CICONotCheckedOut
usually: It is checked out to another user or to another session of the same user, which ended without checking it in.
check: Who has it checked out, in Force Check-in Enterprise Objects of the server settings.
check: The job in Manage Queue Jobs, with its whole error, and the jobs of the same project before it.

[project-rights] checking the rights of a user in Project Server
of: project
text: GeneralSecurityAccessDenied
usually: The user is in no group or category of Project Server that grants the permission on this project, resource or page.
usually: In the mode of SharePoint permissions, the user is in none of the site's groups for Project Web App, or their synchronization has not run.
check: The groups and categories of the user, in Manage Users of Project Web App.
check: The groups of the site :: Get-SPWeb URL | Select-Object -ExpandProperty SiteGroups | Select-Object Name, Users

[project-statusing] reading or sending status updates and timesheets in Project Server
of: project
frame: Statusing, TimeSheet
usually: The task or assignment was changed or deleted in the project meanwhile, or the project was not published since.
usually: No time period or fiscal period is defined for the date, the period is closed, or the user has no timesheet manager.
usually(refusal): The user is no enterprise resource, or lacks the permission for timesheets and status updates.
check: The job in Manage Queue Jobs, with its whole error, and the jobs of the same project before it.
check: The time reporting periods, in the server settings of Project Web App.

[project-fields] reading or changing enterprise custom fields and lookup tables
of: project
frame: CustomFields, LookupTable
usually: The field or lookup table is checked out to someone, or is still in use, or a value breaks its mask.
usually(refusal): The user lacks the permission Manage Enterprise Custom Fields.
check: Who has it checked out, in Force Check-in Enterprise Objects of the server settings.
check: @databases

[project-cube-admin] reading the settings and states of OLAP cubes in Project Server
of: project
frame: CubeAdmin
usually: The Analysis Management Objects of SQL Server are not installed on this server, or not in the version of the instance.
usually(refusal): The account of the Project service is no administrator of the Analysis Services instance.
usually(absence): The Analysis Management Objects of SQL Server are not installed on this server.
check: The Analysis Services instance answers :: Test-NetConnection ASSERVER -Port 2383
check: @ssas
check: @pools

[project-page] opening a page of Project Web App
generic: yes
of: project
frame: PJContext
usually(EndpointNotFoundException): No server runs the Project Application Service, or the IIS site SharePoint Web Services does not answer there.
usually(refusal): The user is no active user of Project Server, or lacks the permission to log on.
check: @instances
check: @iispools
check: @proxies

[project-site-provision] setting up a site for Project Web App
of: project
text: Failed to provision site PWA with error
usually: The account of the service application's pool is not dbcreator and securityadmin on SQL Server, or has no rights in the content database.
usually: A database or site of an earlier attempt is left, or the collation of a database does not fit.
usually(sql:262): The account of the service application's pool lacks dbcreator on the instance.
usually(sql:229): The account of the service application's pool lacks its rights in the content or Project database.
usually(refusal): The account of the service application's pool has no access to the content database of the web application.
check: @pools
check: @databases
check: @instances


[report-database] opening the database of the report server
of: reporting
text: rsReportServerDatabaseUnavailable
text: rsReportServerDatabaseLogonFailed
text: rsReportServerDatabaseError
usually: SQL Server with the database of the service application does not answer, or the account of its pool has no rights there.
usually(sql:18456): The account of the service application's pool has no login on the instance.
usually(sql:229): The account of the service application's pool lacks the role RSExecRole in the databases of the report server.
check: @databases
check: @pools
check: @instances

[report-data] querying the data source of a report
of: reporting
text: rsErrorOpeningConnection
text: rsErrorExecutingCommand
text: rsInvalidDataSourceCredentialSetting
usually: The data source's credentials are wrong or missing, or the user's own sign-in does not come further than the report server without Kerberos.
usually: The server in the connection string does not answer from the report server.
usually(sql:18456): The credentials of the data source, or the user's without delegation (ANONYMOUS LOGON), are not accepted by SQL Server.
usually(sql:4060): The database of the connection string is not there, or the account has no user in it.
usually(sql:229): The account of the data source may not read a table or run a procedure of the query.
check: The credentials and connection string of the data source, in its library.
check: The data source answers from the report server :: Test-NetConnection DATASERVER -Port 1433
check: The Claims to Windows Token Service, for Windows sign-in at the source :: Get-Service c2wts

[report-item] finding a report, shared data source or data set
of: reporting
text: rsItemNotFound
text: rsInvalidDataSourceReference
text: rsDataSourceNotFound
usually: The report or its data source was moved, renamed or deleted, or its path lacks the whole address that SharePoint mode demands.
usually(refusal): The user may not read the report, its data source or its data set in their libraries.
check: The data sources of the report, in Manage Data Sources of its menu.
check: @site

[report-access] finding out whether a user may open a report or its data source
of: reporting
text: rsAccessDenied
usually: The user has no right on the report, data source or schedule in its library: SharePoint's permissions decide in SharePoint mode.
check: The users of the site as SharePoint knows them :: Get-SPUser -Web URL
check: @site

[report-sharepoint] reading SharePoint's content from the report server
of: reporting
text: rsSharePointError
text: rsSharePointObjectModelNotInstalled
usually: SharePoint is not installed on the report server in the farm's build, the server is not joined to the farm, or the site does not open.
usually(refusal): The account of the report server has no rights in the content database of the site.
check: @servers
check: @site
check: @pools

[report-key] opening the encrypted content of the report server's database
of: reporting
text: rsReportServerDisabled
usually: The encryption key of the report server was not restored after the database moved, its account changed or a server was added.
check: @instances
check: @databases

[report-parameters] running a report with its parameters
of: reporting
text: rsReportParameterValueNotSet
text: rsReportParameterTypeMismatch
text: rsUnknownReportParameter
usually: The address, subscription or web part gives no value for a parameter, or one of another type, or a name that the report does not have.
check: The parameters of the report, in Manage Parameters of its menu, beside those in the subscription or address.

[report-processing] computing a report
generic: yes
of: reporting
text: rsProcessingAborted
usually: A data set or expression of the report failed: the error inside this one names it.
check: @rows
check: @databases

[cube-connect] connecting with Analysis Services or asking it
generic: yes
of: analysis-services
frame: AdomdConnection.Open, XmlaClient
usually(AdomdConnectionException): The instance does not answer from this server: its name, port 2383 or 2382 (SQL Server Browser), or its service.
usually(AdomdErrorResponseException): Analysis Services answered with an error: the account has no role in the database, or the query is not valid.
usually(SocketException): The instance does not answer from this server: it is stopped, or a firewall blocks its port.
usually(refusal): The account that comes to the instance has no role in the database.
check: The Analysis Services instance answers :: Test-NetConnection ASSERVER -Port 2383
check: SQL Server Browser answers, for a named instance :: Test-NetConnection ASSERVER -Port 2382
check: @ssas

[powerpivot-gallery] showing a PowerPivot gallery
of: powerpivot
frame: ReportGalleryView
usually: The PowerPivot feature is not active in the site, or its solutions are not deployed to the web application.
usually(absence): The PowerPivot solutions are not deployed to this server.
usually(refusal): The user may not read the library of the gallery.
check: @solutions
check: @features

[powerpivot-database] working with the database of the PowerPivot service application
of: powerpivot
frame: GeminiServiceDatabase
usually: SQL Server with the database does not answer, or the account of the service application has no rights there.
usually(sql:229): The account of the service application's pool lacks its rights in the database.
usually(sql:2812): The database is of another version than the PowerPivot solutions of this farm.
check: @databases
check: @pools
check: @solutions

"""##,
        ##"""

@instances = The service is Online where it should run :: Get-SPServiceInstance | Sort-Object TypeName | Select-Object Server, TypeName, Status
@applications = The service application and its pool :: Get-SPServiceApplication | Select-Object DisplayName, TypeName, Status, ApplicationPool
@proxies = The proxy is there and in the web application's group :: Get-SPServiceApplicationProxyGroup | Select-Object FriendlyName, Proxies
@pools = Which accounts the pools of services run as :: Get-SPServiceApplicationPool | Select-Object Name, ProcessAccountName
@iispools = The application pools of IIS are started :: Get-IISAppPool | Select-Object Name, State
@databases = The databases exist and answer :: Get-SPDatabase | Select-Object Name, Server, Exists, NeedsUpgrade
@content = The content databases and their states :: Get-SPContentDatabase | Select-Object Name, Server, Status, NeedsUpgrade
@jobs = What timer jobs ran and how they ended :: Get-SPTimerJob | Sort-Object LastRunTime | Select-Object Name, LastRunTime, IsDisabled
@site = The site, its owner, lock and database :: Get-SPSite URL | Select-Object Url, Owner, ReadOnly, ReadLocked, ContentDatabase
@features = The features of a site :: Get-SPFeature -Site URL
@space = Free space of the drives :: Get-PSDrive -PSProvider FileSystem
@status = State of each component of search :: Get-SPEnterpriseSearchStatus -SearchApplication (Get-SPEnterpriseSearchServiceApplication) -Text
@topology = Which components of search run where :: Get-SPEnterpriseSearchTopology -SearchApplication (Get-SPEnterpriseSearchServiceApplication) -Active | Get-SPEnterpriseSearchComponent
@searchers = The search instances of the servers :: Get-SPEnterpriseSearchServiceInstance | Select-Object Server, Status
@searchhost = The search services of this server :: Get-Service OSearch*, SPSearchHostController -ErrorAction SilentlyContinue
@sources = Content sources and their crawls :: Get-SPEnterpriseSearchCrawlContentSource -SearchApplication (Get-SPEnterpriseSearchServiceApplication) | Select-Object Name, CrawlState, CrawlStarted, CrawlCompleted
@policy = Who reads a web application by policy :: Get-SPWebApplication URL | Select-Object -ExpandProperty Policies
@fim = Both services run on the synchronization server :: Get-Service FIMService, FIMSynchronizationService
@dc = A domain controller is found :: nltest /dsgetdc:DOMAIN
@cachehosts = The cache port of a host answers :: Test-NetConnection CACHEHOST -Port 22233
@ssas = The Analysis Services instances of this server and their accounts :: Get-CimInstance Win32_Service -Filter "Name LIKE 'MSOLAP%'" | Select-Object Name, State, StartName
@token = Who may send tokens for apps and servers :: Get-SPTrustedSecurityTokenIssuer | Select-Object Name, RegisteredIssuerName, NameId
@targets = The target applications of the Secure Store :: Get-SPSecureStoreApplication -ServiceContext URL -All
@mysites = The web application of the My Sites: self-service and managed paths :: Get-SPWebApplication URL | Select-Object SelfServiceSiteCreationEnabled, @{n='Paths'; e={(Get-SPManagedPath -WebApplication $_).Name}}


[search-instance] setting up, changing or reading the search service of a server
of: search-admin
frame: SearchServiceInstance, SearchDataAccessServiceInstance
usually: The search service of this server does not start under its account: the password that Windows has for it is old, or "Log on as a service" was taken away.
usually(refusal): The farm account, as which the job runs, may not change the registry keys or the folders of search on this server: it is not in the local group WSS_ADMIN_WPG.
usually(SPUpdatedConcurrencyException): This server's copy of the farm's configuration is out of date: the cache folder below C:\ProgramData\Microsoft\SharePoint\Config no longer follows the database.
check: @searchers
check: @searchhost
check: The local group of the farm account :: Get-LocalGroupMember -Group WSS_ADMIN_WPG

[search-hosts-file] writing the web servers for the crawl into the hosts file
of: search-admin
frame: HOSTSFile
usually: The group WSS_ADMIN_WPG may not write the hosts file of the crawl server, or the file is read-only.
check: Rights on the file :: icacls C:\Windows\System32\drivers\etc\hosts
check: Who may write it :: Get-LocalGroupMember -Group WSS_ADMIN_WPG

[search-database-rights] giving accounts of the Search service application rights in its databases
of: search-admin
frame: SearchServiceApplication.SynchronizeDatabases, SearchDatabase.SynchronizeAccessRules, SearchDatabase.GrantAccess
usually: An account or group among the administrators or permissions of the Search service application no longer exists in the directory: Windows finds no SID for it.
usually(win32:1332): An account or group among the administrators or permissions of the Search service application no longer exists in the directory, or its domain does not answer.
usually(IdentityNotMappedException): An account or group among the administrators or permissions of the Search service application no longer exists in the directory, or its domain does not answer.
usually(sql:15401): An account or group among the administrators or permissions of the Search service application is not known to SQL Server: it no longer exists in the directory.
usually(sql:229): The account that runs this is no db_owner of a database of search, or lacks securityadmin on the instance.
check: The administrators of the application, each of whom must still exist :: Get-SPServiceApplicationSecurity (Get-SPEnterpriseSearchServiceApplication) -Admin | Select-Object -ExpandProperty AccessRules | Select-Object Name
check: Those who have permissions on it :: Get-SPServiceApplicationSecurity (Get-SPEnterpriseSearchServiceApplication) | Select-Object -ExpandProperty AccessRules | Select-Object Name

[search-application] setting up the Search service application or its proxy
of: search-admin
frame: SearchServiceApplication.Provision, SearchServiceApplicationProxy.Provision
usually: A database of the same name is left over on SQL Server from an earlier attempt.
usually: The account that creates it is not dbcreator and securityadmin on SQL Server.
usually(sql:1801): SQL Server has a database of this name already: the name must be another, or the old database go.
usually(sql:262): The account that runs the wizard or command may not create databases: it lacks the server role dbcreator.
check: @databases
check: @applications

[search-topology] reading or changing the topology of search
of: search-admin
frame: SearchTopology, QueryTopology, CrawlTopology
usually: A server of the new topology has no search service instance that is Online, or its Search Host Controller does not run.
usually: A component of the present topology is not healthy, so that its part cannot be moved.
usually: The root directory that was named for an index component does not exist on that server, or is not empty.
check: @topology
check: @searchers
check: @searchhost

[search-find-instances] finding the search service instances of named servers
of: search-admin
frame: SearchAdminUtils.GetServiceInstancesOnServers
usually: One of the servers has no search service instance under the name that was given: the name is not the farm's name of the server, or search is not installed on it.
check: @searchers
check: The names of the servers :: Get-SPServer | Select-Object Name, Role, Status

[search-call] calling the Search service application from another server
generic: yes
of: search
frame: SearchServiceApplicationProxy.DoSpLoadBalancedUriWcfOp
usually(EndpointNotFoundException): No server runs the Search Query and Site Settings Service, or the IIS site SharePoint Web Services does not answer there.
usually(refusal): The account of the calling pool is not among those who may use the service application (Permissions).
check: @instances
check: @iispools
check: @applications

[search-proxy] finding or reaching the search service that a web application uses
of: search
frame: SearchServiceApplicationProxy.GetProxy
text: The search request was unable to connect to the Search Service
usually: The proxy group of the web application has no proxy of search.
usually: The proxy of search belongs to a service application that was deleted.
check: @proxies
check: The proxies of search :: Get-SPEnterpriseSearchServiceApplicationProxy | Select-Object Name, Status

[search-execute] answering a query of search
generic: yes
of: search-query
frame: SearchServiceApplication.Execute, SearchServiceApplicationProxy.Execute, KeywordQueryInternal, QueryInternal
text: SearchServiceApplicationProxy::Execute--Error
text: SearchServiceApplication::Execute--Exception
usually: The query or index component that should answer does not run, or has no index yet.
usually: No server runs the service that takes queries, or its application pool is stopped.
check: @status
check: @instances
check: @iispools

[search-query-endpoint] choosing a query processing component
generic: yes
of: search-query
frame: RoundRobinLoadBalancerContext
usually: No query processing component of the active topology runs, or all were set aside because they just failed.
usually: The index component behind them is not available.
check: @status
check: @searchhost
check: @topology

[search-index-cells] finding a replica of an index partition to ask
of: search-index
text: has no available cells
text: Cannot plan query for index system
usually: The replica's node (noderunner of the index component) does not run, or its index is out of sync with its partition or still being copied (seeding).
usually: The disk of the index is full or damaged, so that the component was set aside.
check: @status
check: @space
check: @searchhost

[search-results-page] showing search results in web parts
of: search-query
frame: CoreResultsWebPart, ResultScriptWebPart, ContentBySearchWebPart, RefinementScriptWebPart, ScriptApplicationManager
usually: The search service does not answer.
usually: The result source, the scope or the managed property that the web part names does not exist any more.
check: @proxies
check: @status
check: The web part's settings: its result source or scope, and its properties.

[search-results-query] handing the query of a search results web part on to the query service
of: search-query
frame: CoreResultsWebPart.SetPropertiesOnQueryReader
usually: The web part has no connection to the query service: the service is started on no server, its proxy is missing, or with FAST Search its servers do not answer or their certificate has expired.
usually: The scope or the managed property that the web part names does not exist any more.
usually(NullReferenceException): The web part has no connection to the query service, which rows beside it then tell: it is started on no server, its proxy is missing, or with FAST Search its servers do not answer or their certificate has expired.
check: The services of search that are Online; 2010 needs the Search Query and Site Settings Service :: Get-SPServiceInstance | Where-Object TypeName -like '*Search*' | Select-Object Server, TypeName, Status
check: @proxies
check: With FAST Search, its services, in the shell on its server :: nctrl status
check: The web part's settings: its result source or scope, and its properties.

[search-sql-query] running a query in SQL syntax against search
of: search-query
frame: FullTextSqlQuery
usually: From SharePoint 2013 on, search does not take SQL syntax any more: the code must use KeywordQuery.
usually: In SharePoint 2010: a property of the query is no managed property, or is used against its type.
check: The code or web part that asks, and its solution :: Get-SPSolution | Select-Object Name, Deployed, DeployedServers, LastOperationResult
check: @status

[search-code-query] running a query of code, CSOM or REST
of: search-query
frame: KeywordQuery.Execute, SearchExecutor.ExecuteQuery, SearchExecutor.ExecuteQueries
usually: The search service does not answer.
usually: The query uses a managed property in a way that its settings do not allow: not queryable, sortable, refinable or retrievable.
usually: The result source that the query names does not exist in this farm.
check: @status
check: @proxies
check: The property's settings :: Get-SPEnterpriseSearchMetadataManagedProperty -SearchApplication (Get-SPEnterpriseSearchServiceApplication) -Identity NAME

[search-result-sources] reading or writing result sources
of: search-query
frame: FederationManager
usually: The result source was deleted, or stands on another level (farm, site collection, site) than the one that was asked.
usually(refusal): The account has no Full Control on the site or is no administrator of the Search service application, on the level of the result source.
check: The levels on which result sources stand: the Search service application, the site collection and the site.
check: @proxies

[search-schema] reading, creating or mapping managed properties
of: search-admin
frame: ManagedPropertyCollection, ManagedProperty.SetMappings, ManagedProperty.Update
usually: The crawled property does not exist yet, because no item with it has been crawled.
usually: A managed property of this name exists already.
usually(refusal): The account is no administrator of the Search service application.
check: The crawled property is there :: Get-SPEnterpriseSearchMetadataCrawledProperty -SearchApplication (Get-SPEnterpriseSearchServiceApplication) -Name NAME
check: The managed property :: Get-SPEnterpriseSearchMetadataManagedProperty -SearchApplication (Get-SPEnterpriseSearchServiceApplication) -Identity NAME

[search-start-crawl] starting, pausing or stopping a crawl
of: crawler
frame: ContentSource.StartFullCrawl, ContentSource.StartIncrementalCrawl, ContentSource.StopCrawl, ContentSource.PauseCrawl, ContentSource.ResumeCrawl
usually: The content source is still being crawled, or its last crawl is still stopping.
usually: The search service of the crawl server does not run, or the administration component does not answer.
check: @sources
check: @searchhost
check: @status

[crawl-policy] reading the policies of a web application before its crawl
of: crawler
text: Couldn't retrieve server
text: GetVirtualServerPolicyInternal fails
usually: The start address is not the address of the web application's Default zone, or no web application has it.
usually: The crawl server cannot reach the address, or refuses its own name (loopback check).
usually(search:0x80041205): The content access account has no Full Read on the web application, or the server refuses its own name (loopback check).
check: @policy
check: The addresses of the web applications and their zones :: Get-SPAlternateURL
check: Whether this server refuses its own names: DisableLoopbackCheck and BackConnectionHostNames :: reg query HKLM\SYSTEM\CurrentControlSet\Control\Lsa /s /f Loopback

[crawl-site] opening a site of SharePoint in a crawl
of: crawler
text: CSTS3Accessor::Init
text: CSTS3Helper::InitURLType
usually: The content access account has no Full Read on the web application.
usually: The crawl server reaches the site under another address than the web application's, or refuses its own name (loopback check).
check: @policy
check: The addresses of the web applications and their zones :: Get-SPAlternateURL
check: Whether this server refuses its own names: DisableLoopbackCheck and BackConnectionHostNames :: reg query HKLM\SYSTEM\CurrentControlSet\Control\Lsa /s /f Loopback

[crawl-connector] crawling another system with a connector of BCS
of: crawler
frame: StructuredRepositorySystemUtility, ExchangeSystemUtility, LobUri
usually: The content access account has no right Execute on the external content type, or no rights in the other system.
usually: The assembly of the connector is not in the global assembly cache of the crawl server.
check: The rights on the model :: Get-SPBusinessDataCatalogMetadataObject -BdcObjectType Catalog -ServiceContext URL
check: @sources

[content-submit] handing crawled documents to content processing
of: search-content
frame: ContentSubmissionDecorator
text: CSSFeedersManager::CallOperationWithRetry
usually: No content processing component of the active topology runs.
usually: A firewall between the crawl server and the servers of the other components blocks the ports of search.
check: @status
check: @searchhost
check: @topology

[search-analytics-job] running the analyses of links and usage
of: search-analytics
frame: AnalyticsJobDefinition, UsageAnalyticsJobDefinition, AnalyticsEventStoreRetentionJobDefinition
usually: No analytics processing component of the active topology runs.
usually: The share Analytics_ID of the server with the analytics component cannot be reached or written from the other servers.
usually(refusal): The account of the job may not write the share Analytics_ID on the server with the analytics component.
check: @status
check: The shares of the server with the analytics component :: Get-SmbShare | Where-Object Name -like 'Analytics*'
check: @jobs

[search-dictionaries] bringing search dictionaries and query suggestions up to date
of: thesaurus
frame: PrepareQuerySuggestionsJobDefinition, QuerySuggestionsJobDefinition, SpellingDictionaryUpdateJobDefinition, SpellingCustomizationsUpgradeJobDefinition, CustomDictionaryDeploymentJobDefinition
frame: QueryClassificationDictionaryJobDefinition, QueryClassificationDictionaryPushJobDefinition, QueryClassificationDictionaryUpdateTimerJobDefinition
usually: A component of search that takes the dictionary does not run.
usually: The term store with the group Search Dictionaries cannot be read: the default proxy group has no Managed Metadata service, or the farm account may not use it.
check: @status
check: @proxies
check: The jobs of search :: Get-SPTimerJob | Where-Object Name -like '*search*'

[crawl-databases] cleaning up and balancing the crawl databases
of: crawler
frame: CrawlReportCleanupJobDefinition, CrawlStoreRebalancerJobDefinition
usually: The crawl database does not answer.
usually(sql:-2): The crawl database has grown large, or a crawl or backup is in its way, so that the deletion does not end in time.
usually(sql:9002): The transaction log of the crawl database is full: it is in the recovery model Full without backups of the log, or its disk is full.
check: The search databases :: Get-SPDatabase | Where-Object TypeName -like '*Search*' | Select-Object Name, Server, Exists, DiskSizeRequired
check: @sources

[search-remote] asking another farm or Microsoft 365 for search results
of: search-remote
frame: RemoteSharepointProducer, RemoteSharepointEvaluator
usually: The remote side does not accept the token: the trust, the realm or the certificate does not fit.
usually(http:500): The Remote Service URL of the result source is not the root site of the other farm or tenant (the tenant's admin site is none), or the other side failed: its own log says how.
usually: The user is not known on the remote side, or has no profile or several here.
usually(http:401): The remote side takes the token for that of nobody it knows: compare realm, trusted issuer and the user on both sides.
usually(http:403): The remote side refuses the user or this farm: no rights there, or no permission for the app that stands for this farm.
check: @token
check: The realm of the farm :: Get-SPAuthenticationRealm
check: @proxies

[fast-submit] opening a session with the content distributor of FAST
of: fast-content
text: Failed to initialize session with document engine
usually: The address of the content distributor in the connector is not the one in install_info.txt of the FAST server, or does not answer, for instance because the FAST services do not run.
usually: The certificate between SharePoint and FAST has expired, or the search account was not given its key (SecureFASTSearchConnector.ps1).
check: The distributor answers :: Test-NetConnection FASTHOST -Port 13391
check: The certificates of the machine, their dates and keys :: Get-ChildItem Cert:\LocalMachine\My | Select-Object Subject, NotAfter, HasPrivateKey
check: Distributor and limits :: Get-SPEnterpriseSearchExtendedConnectorProperty -SearchApplication NAME
check: The services of FAST, in the shell on its server :: nctrl status


[profile-service-setup] setting up the User Profile service application or its databases
of: user-profiles
frame: UserProfileApplication.Provision, ProfileDatabase.Provision, SocialDatabase.Provision
usually: The account that creates it is not dbcreator and securityadmin on SQL Server.
usually: A database of the same name is left over on SQL Server from an earlier attempt.
usually(sql:1801): SQL Server has a database of this name already: the name must be another, or the old database go.
usually(sql:262): The account that runs the wizard or command may not create databases: it lacks the server role dbcreator.
check: @databases
check: @applications

[profile-service-call] calling the User Profile service application
generic: yes
of: user-profiles
frame: UserProfileApplicationProxy
text: UserProfileApplicationProxy.InitializePropertyCache
usually(EndpointNotFoundException): No server runs the User Profile Service, or the IIS site SharePoint Web Services does not answer there.
usually(refusal): The account of the calling pool is not among those who may use the User Profile service application (Permissions).
check: @instances
check: @proxies
check: @iispools

[profile-cache] reading profiles through the cache of the User Profile service
generic: yes
of: user-profiles
frame: ProfileDBCacheServiceClient, UserProfileDBCache
text: UserProfileDBCache_WCFLogging
usually: The application pool of the User Profile service application is stopped or just restarting, or no server runs the User Profile Service.
usually(refusal): The account of the calling pool is not among those who may use the User Profile service application (Permissions).
check: @instances
check: @iispools
check: @pools

[profile-load] opening the profile of a user, or looking for it
of: user-profiles
frame: UserProfileManager.GetUserProfile, UserProfileManager.UserExists
usually: The user has no profile: the import left the account out, or the profile has another account name than the one that was asked for.
usually: The User Profile service does not answer, or the account of the code may not use it.
check: @instances
check: @proxies
check: The account name of the user's profile in Manage User Profiles, with its claims prefix.

[profile-manager] opening the User Profile service
generic: yes
of: user-profiles
frame: UserProfileManager..ctor, ProfileManagerBase..ctor, ProfileLoader.GetProfileLoader, ProfileLoader, OrganizationProfileManager..ctor
usually: The proxy group of the web application has no proxy of the User Profile service, or no server runs it.
usually(UserProfileApplicationNotAvailableException): The web application has no proxy of the User Profile service, the service does not run, or the account may not use it.
usually(refusal): The account is not among those who may use the User Profile service application (Permissions).
usually(InvalidProgramException): The farm has only SharePoint Foundation, which lacks the code of user profiles.
check: @proxies
check: @instances
check: @pools

[profile-create] creating or removing profiles
of: user-profiles
frame: UserProfileManager.CreateUserProfile, UserProfileManager.RemoveUserProfile, OrganizationProfileManager.CreateOrganizationProfile
usually: The account has no right Manage Profiles among the administrators of the User Profile service application.
usually: Windows does not find the account for which the profile should be.
check: Who administers it :: Get-SPServiceApplication | Where-Object TypeName -like 'User Profile*' | Get-SPServiceApplicationSecurity -Admin | Select-Object -ExpandProperty AccessRules
check: @instances

[profile-save] reading, setting or saving the properties of a profile
of: user-profiles
frame: UserProfile.Commit, ProfileBase.Commit, UserProfileValueCollection
usually: A value does not fit its property: its type, its length or its term set.
usually: The property may not be edited by users.
usually(PropertyNotEditableException): The property may not be edited by users, and the account has no right Manage Profiles.
usually(refusal): The account is neither the owner of the profile nor has the right Manage Profiles in the User Profile service application.
check: The property's type, length and policy in Manage User Properties.
check: Who administers the service application :: Get-SPServiceApplication | Where-Object TypeName -like 'User Profile*' | Get-SPServiceApplicationSecurity -Admin | Select-Object -ExpandProperty AccessRules

[profile-value] checking a value for a property of a profile
of: user-profiles
frame: UserProfileGlobal.ValidatedUrl, UserProfileGlobal.ValidatedCalendarType
usually: The directory or the code delivers a value that does not fit the property's type, such as text that is no address in a property of type URL.
usually(UriFormatException): The value for a property of type URL is no full address.
check: The attribute of the user in the directory, and the type of the property in Manage User Properties.

[sync-service-start] setting up, starting or stopping the User Profile Synchronization Service
of: profile-sync
frame: UserProfileApplication.SetupSynchronizationService, UserProfileApplication.SetupProfileSynchronizationEngine, ProfileSynchronizationServiceInstance, ILMPostSetupConfiguration
text: UserProfileApplication.SynchronizeMIIS: Failed to configure
usually: The farm account, as which the service starts, was no local administrator of this server, or the timer service has not restarted since it became one.
usually: The farm account may not log on locally on this server.
usually: A start that failed has left the services or the synchronization database half set up.
usually(sql:229): The farm account is not db_owner of the synchronization database.
check: Whether the farm account is a local administrator :: Get-LocalGroupMember -Group Administrators
check: @fim
check: @databases

[sync-database] building the database of the synchronization engine
of: profile-sync
frame: IlmWSSetup
usually: The farm account is not db_owner of the synchronization database.
usually: The synchronization database holds remains of an earlier start that failed.
check: @databases
check: @fim

[sync-engine-query] asking the synchronization engine over WMI
of: profile-sync
frame: MiisServer
usually: The service FIMSynchronizationService does not run, so that its WMI provider does not answer.
usually(refusal): The account that asks is in none of the local groups FIMSyncAdmins and FIMSyncBrowse of the synchronization server, or may not use WMI there.
check: @fim
check: The groups of the engine, on its server :: Get-LocalGroupMember -Group FIMSyncAdmins

[sync-connection] reading, creating or changing a synchronization connection
of: profile-sync-connection
frame: ConnectionManager.AddActiveDirectoryConnection, ConnectionManager.AddConnection, DirectoryServiceNamingContext
usually: The services of the synchronization engine do not run.
usually: The directory refuses the account of the connection, or no domain controller of the forest is found.
usually(ldap:49): The account name or the password of the connection is wrong.
check: @fim
check: @dc
check: Whether the account is locked or its password has expired :: net user ACCOUNT /domain

[sync-run] running the profile synchronization
of: profile-sync
frame: UserProfileImportJob, SyncJobStep
usually: The services FIMService and FIMSynchronizationService do not both run.
usually: The directory refuses the account of the connection: its password has changed, or it has no right Replicating Directory Changes.
usually(refusal): The farm account, as which the job runs, may not call WMI on the synchronization server: it is no local administrator there any more, and not in Performance Log Users with Remote Enable on ROOT\MicrosoftIdentityIntegrationServer.
usually(refusal): The farm account may not use the engine: it is not in the local groups that the start of the service filled.
check: @fim
check: Whether the farm account is a local administrator of the synchronization server, on itself :: Get-LocalGroupMember Administrators
check: @instances
check: @dc

[ad-import] importing profiles from Active Directory
of: profile-import
frame: UserProfileADImportJob
usually: The password of the connection's account has changed, or it has no right Replicating Directory Changes on the domain.
usually: No domain controller of the connection's domain answers from this server.
usually(refusal): The account of the connection has no right Replicating Directory Changes on the domain; on its configuration partition too, if the NetBIOS name differs from the domain's.
usually(ldap:49): The directory refuses the account of the connection: its password has changed, or its name is wrong.
check: @dc
check: Whether the account is locked or its password has expired :: net user ACCOUNT /domain
check: @jobs

[profile-site-sync] copying profiles and memberships between sites and the User Profile service
of: user-profiles
frame: WSSProfileSyncJob, WSSSweepSyncJob, WSSProfileSynch, SiteSynchronizer, UserSynchronizer, ContentDBSynchronizer
text: failure trying to synch site
usually: The User Profile service does not answer the job.
usually: A site of the content database cannot be opened or written: locked, read-only or damaged.
usually(refusal): The farm account, as which the job runs, may not use the User Profile service application, or a site is locked against writing.
usually(sql:2601): The records of the synchronization are at odds with the content databases: one was deleted, moved or attached again in another way than SharePoint expects.
usually(absence): The synchronization still knows a content database or site that is gone.
check: Content databases that the synchronization knows, by days since the last run :: stsadm -o sync -listolddatabases 7
check: @content
check: @instances

[audience-compile] compiling audiences
of: user-profiles
frame: AudienceCompilationJob, AudienceJob
usually: The User Profile service does not answer the job.
usually: A rule names a property, a group or a user that no longer exists.
usually(refusal): The account has no right Manage Audiences among the administrators of the User Profile service application.
check: @instances
check: @proxies
check: The rules of the audiences in Manage Audiences, for what is gone.

[audience-check] reading audiences, or finding out to which a user belongs
of: user-profiles
frame: AudienceManager, AudienceLoader
usually: The proxy group of the web application has no proxy of the User Profile service, or no server runs it.
usually(refusal): The account is not among those who may use the User Profile service application (Permissions).
check: @proxies
check: @instances

[personal-site] creating a personal site
of: my-sites
frame: UserProfile.CreatePersonalSite, UserProfile.CreateSite, MySiteInstantiationWorkItemJobDefinition, InteractiveMySiteInstantiationWorkItemJobDefinition
text: Exception during creation of personal site
usually: Self-service site creation is off for the web application of the My Sites, or the managed path for personal sites is missing there.
usually: The My Site host or the personal site location of the User Profile service is not set, or names another web application.
usually(refusal): The user may not create a personal site: no right to it in the user permissions of the User Profile service, or no self-service site creation.
check: @mysites
check: @proxies
check: The content databases take more sites :: Get-SPContentDatabase -WebApplication URL | Select-Object Name, CurrentSiteCount, MaximumSiteCount, Status

[my-site-cleanup] handing over and removing the personal sites of deleted users
of: my-sites
frame: MySiteCleanupJob
usually: A personal site in the list of the job is gone, locked, or its content database is detached.
usually(SmtpException): The mail to the manager of the deleted user could not be sent: the SMTP server of the web application refuses it.
check: @content
check: @jobs

[feed-cache] filling the cache of newsfeeds again
of: microfeed
frame: FeedCacheRepopulationJob, LMTRepopulationJob
usually: The Distributed Cache does not answer.
usually(refusal): The farm account, as which the job runs, is not among those who may use the User Profile service application (Permissions).
check: @cachehosts
check: @instances
check: @pools

[feed-post] reading and writing newsfeeds
of: microfeed
frame: SPMicrofeedManager, SPSocialFeedManager
usually: The Distributed Cache does not answer.
usually: The user has no personal site yet, where the posts would be kept.
usually(refusal): The account of the web application's pool has no Full Control in the permissions of the User Profile service application.
check: @cachehosts
check: @proxies
check: @mysites

[following] following sites, documents and people, or reading what is followed
of: microfeed
frame: SPSocialFollowingManager, FollowedContent
usually: The user has no personal site, in which what is followed is kept.
usually: The User Profile service does not answer, or the account of the web application's pool may not use it.
check: @proxies
check: @mysites
check: @instances

[activity-feed] collecting activities for the feeds of users
of: user-profiles
frame: ActivityFeedUPAJob, ActivityFeedCleanupUPAJob
usually: The User Profile service does not run, or its databases do not answer.
usually(refusal): The account is not among those who may use the User Profile service application (Permissions).
check: @instances
check: @databases

[social-data] reading and writing tags, notes and ratings
of: social
frame: SocialTagManager, SocialCommentManager, SocialRatingManager, SocialRatingSyncJob, SocialDataMaintenanceJob
usually: The User Profile service does not run, or its social database does not answer.
usually(refusal): The user has no right to use tags and notes in the user permissions of the User Profile service.
check: @instances
check: @proxies
check: @databases

[profile-changes] reading or cleaning up the changes of profiles
of: user-profiles
frame: UserProfileChangeJob, UserProfileChangeCleanupJob
usually: The profile database does not answer.
usually(sql:-2): The table of changes is large, so that the query or the deletion does not end in time.
check: @databases
check: @instances


[metadata-call] calling the Managed Metadata service
generic: yes
of: metadata
frame: MetadataWebServiceApplicationProxy
text: MetadataWebService application proxy cannot be found
usually(EndpointNotFoundException): No server runs the Managed Metadata Web Service, or the IIS site SharePoint Web Services does not answer there.
usually(refusal): The account of the calling pool is not among those who may use the Managed Metadata service application (Permissions).
usually(sql:229): The account of the service application's pool lacks rights in the database of the service.
check: @instances
check: @iispools
check: @proxies

[term-store-open] opening the term stores of a site
generic: yes
of: metadata
frame: TaxonomySession, TermStoreCollection
usually: The proxy group of the web application has no proxy of the Managed Metadata service.
usually: No proxy is the default for keywords or for column term sets, so that code which asks for the default gets nothing.
usually(ArgumentOutOfRangeException): No term store has the name or number that the code asks for: its name is that of the proxy.
check: @proxies
check: Whether term stores can be read from a site :: Get-SPTaxonomySession -Site URL
check: The defaults of the proxy :: Get-SPMetadataServiceApplicationProxy NAME | Select-Object -ExpandProperty Properties

[term-edit] creating and changing terms, term sets or groups of them
of: metadata
frame: TermStore.CommitAll, TermStore.CreateGroup, TermSetItem.CreateTerm, Group.CreateTermSet, Term.Move
usually: The account is no administrator of the term store, and no manager or contributor of the group.
usually(TermStoreOperationException): A term of this name stands on the same level already, or what is changed was changed or removed by somebody else meanwhile, or the account is no manager of the group.
usually: A term of this name stands on the same level already, or the name has a character that terms may not have: semicolon, quotation mark, bar, angle bracket or tab.
check: Who administers the term store :: Get-SPTaxonomySession -Site URL | Select-Object -ExpandProperty TermStores | Select-Object Name, TermStoreAdministrators
check: The managers and contributors of the group in the Term Store Management Tool.

[term-name] checking the name of a term, term set or group
of: metadata
frame: CommonValidator.ValidateName
usually: The name has a character that names may not have (semicolon, quotation mark, angle bracket, bar or tab), is longer than 255 characters, or is empty.
check: The name that the row shows, and where the code or file that makes the term has it from.

[term-import] importing a term set from a file
of: metadata
frame: ImportManager
usually: The file is not in the form of the sample import file: comma separated, in UTF-8, with its twelve columns.
usually(refusal): The account may not write the group of the term store.
check: The file against the sample import file of the Term Store Management Tool.

[term-value] reading or writing terms in columns of items
of: metadata
frame: TaxonomyField, TaxonomyItemEventReceiver, TaxonomyFieldControl
usually: The column points to a term set or term store that this farm does not have, as after a move or a template from elsewhere.
usually: The term is gone, or the hidden note column of the managed metadata column is missing in the list.
usually(refusal): The user may not read the hidden list TaxonomyHiddenList of the root site.
check: To which term set the column points :: Get-SPWeb URL | Select-Object -ExpandProperty Fields | Where-Object TypeAsString -like 'TaxonomyField*' | Select-Object Title, SspId, TermSetId
check: The term stores of the site :: Get-SPTaxonomySession -Site URL | Select-Object -ExpandProperty TermStores | Select-Object Name, Id, IsOnline
check: The hidden list :: Get-SPWeb URL | Select-Object -ExpandProperty Lists | Where-Object Title -eq TaxonomyHiddenList | Select-Object Title, ItemCount, HasUniqueRoleAssignments

[term-updates] bringing changed terms into sites
of: metadata
frame: UpdateHiddenListJobDefinition, HiddenListFullSyncJobDefinition
usually: The farm account, as which the job runs, gets no answer from the Managed Metadata service.
usually: A site of the web application cannot be written: it is locked or read-only.
usually(refusal): The farm account may not use the Managed Metadata service application, or a site is locked.
check: @instances
check: @proxies
check: @content

[content-type-publish] publishing content types from the hub
of: content-type-hub
frame: HubTimerJobDefinition
usually: The hub named in the service application is gone or moved, or its feature Content Type Syndication Hub is not active.
check: The address of the hub in the properties of the service application.
check: @features
check: @instances

[content-type-subscribe] taking published content types over into sites
of: content-type-hub
frame: SubscriberTimerJobDefinition
usually: The site has a content type or column of the same name or ID that does not come from the hub.
usually: A feature that the content type needs is not active in the site, such as Document Sets or Document ID.
usually: The hub or its service application does not answer the job.
usually(refusal): The site is locked or read-only, or the farm account may not use the Managed Metadata service application.
check: What went wrong in a site: its page Content type publishing, with its error log.
check: @features
check: @site


[bdc-call] reading external content types from the Business Data Connectivity service
generic: yes
of: bcs
frame: BdcServiceApplicationProxy, BdcServiceApplication.Execute
usually(EndpointNotFoundException): No server runs the Business Data Connectivity Service, or the IIS site SharePoint Web Services does not answer there.
usually(refusal): The account of the calling pool is not among those who may use the service application, or the user has no rights in its metadata store.
check: @instances
check: @proxies
check: @iispools

[bdc-model] reading or writing a model of external data
of: bcs
frame: AdministrationMetadataCatalog.ImportPackage, TypeDescriptorAccessor, MethodInstanceAccessor, AssociationAccessor
usually: The model does not hold together: an identifier, filter or type descriptor in it does not fit its method.
usually: The metadata store has an object of this name from an earlier import.
usually(refusal): The account has no right Edit on the metadata store of the Business Data Connectivity service.
check: The catalog of models, with its rights :: Get-SPBusinessDataCatalogMetadataObject -BdcObjectType Catalog -ServiceContext URL
check: @databases

[bdc-sql] reading a database through an external content type
of: bcs
frame: DbSystemUtility
usually: The database refuses the account that comes there: the user's own does not get from server to server without Kerberos delegation, and that of the Secure Store has no rights.
usually: The database does not answer from the server with the external list.
usually(sql:18456): The account that comes to the database is not the user's: without Kerberos delegation it is anonymous or the pool's, or the Secure Store has an old password.
usually(sql:229): The account of the connection has no right on the table or procedure of the model.
usually(sql:208): The table or view that the model names does not exist in the database any more.
check: The data source answers from this server :: Test-NetConnection SQLSERVER -Port 1433
check: @targets
check: The rights on the model :: Get-SPBusinessDataCatalogMetadataObject -BdcObjectType Catalog -ServiceContext URL

[bdc-web-service] calling a web service through an external content type
of: bcs
frame: WcfSystemUtility, WebServiceSystemUtility, ODataServiceProxy
usually: The address in the model does not answer from this server, or refuses the account that comes there.
usually: The web service has changed since the model was made.
usually(refusal): The web service refuses the account: the user's own does not get from server to server without Kerberos delegation, and that of the Secure Store has no rights.
check: The address answers from this server :: Test-NetConnection HOST -Port 443
check: @targets

[bdc-assembly] running the code of a .NET connector
of: bcs
frame: DotNetAssemblySystemUtility
usually: The code of the connector throws: what it reads does not answer or is not as it expects.
usually(absence): The assembly of the connector is not deployed on this server, or in another version than the model names.
check: Solutions and where they are deployed :: Get-SPSolution | Select-Object Name, Deployed, DeployedServers, LastOperationResult
check: The rights on the model :: Get-SPBusinessDataCatalogMetadataObject -BdcObjectType Catalog -ServiceContext URL

[bdc-list] showing external lists and business data web parts
of: bcs
frame: SPListDataSource, BusinessDataWebPart, BusinessDataListWebPart, BusinessDataDetailsWebPart, BusinessDataAssociationWebPart, BusinessDataActionsWebPart
usually: The user has no right Execute on the external content type.
usually: The external content type was deleted or renamed, or belongs to a service that this web application does not use.
usually: The other system refuses the account or does not answer.
check: The rights on the model :: Get-SPBusinessDataCatalogMetadataObject -BdcObjectType Catalog -ServiceContext URL
check: @proxies
check: @targets

[bdc-column] reading or updating external data columns
of: bcs
frame: SPBusinessDataField, BusinessDataField, BusinessDataSynchronizerJob
text: does not permit updating the external data column values
usually(NotSupportedException): The external content type signs in as the user (User's Identity), as which a refresh for everybody is not done: it needs credentials of the Secure Store (Impersonate Windows or Custom Identity).
usually: The external content type of the column was deleted or renamed, or the user has no right Execute on it.
usually: The web application has no proxy of the Business Data Connectivity service.
check: The rights on the model :: Get-SPBusinessDataCatalogMetadataObject -BdcObjectType Catalog -ServiceContext URL
check: @proxies

[secure-store-call] calling the Secure Store service, as for credentials
generic: yes
of: secure-store
frame: SecureStoreServiceApplicationProxy, SecureStoreProvider
usually(EndpointNotFoundException): No server runs the Secure Store Service, or the IIS site SharePoint Web Services does not answer there.
usually(refusal): The account of the calling pool is not among those who may use the service application, or the user is no member of the target application.
usually(SecureStoreCredentialsNotFoundException): No credentials are set in the target application for this user or group.
usually(SecureStoreTargetApplicationNotFoundException): The target application that is asked for does not exist: its ID is written otherwise, or it belongs to another Secure Store.
check: @targets
check: @instances
check: @proxies

[secure-store-service] working in the Secure Store service application
of: secure-store
frame: SecureStoreServiceApplication
usually: The master key has not been generated, or this server does not have it: it must be refreshed with its pass phrase.
usually(refusal): The user is no administrator of the Secure Store service application.
usually(CryptographicException): This server has another master key than the one that encrypted the credentials, as after a restore: it must be refreshed with its pass phrase.
check: @instances
check: @databases
check: @pools


[caller-rights] checking what the caller may do in a service application, or in its administration
frame: SPAcl`1.CalculatePermissions, SPAcl`1.DoesUserHavePermissions
usually: The thread of the call has no identity to check; then a row 7fd9 (LastError=1008) of the same request says so.
usually(refusal): The account of the caller is not among those who have rights on the service application.
check: The same request from its beginning :: fastctl logs trace CORRELATION LOGS
check: Who administers the service application :: Get-SPServiceApplication -Name NAME | Get-SPServiceApplicationSecurity -Admin | Select-Object -ExpandProperty AccessRules
check: @pools


[office-online-settings] reading the settings of a service of Office Online Server
of: office-online
frame: IniConfigAdapter
usually(XmlException): A setting that may be a list holds no list, or nothing, and the service only tries to read it as one; where it starts, that is common and harmless.
check: Read the rows of the same process and thread before it.
check: The settings of the farm, on one of its servers :: Get-OfficeWebAppsFarm
check: The server's health, on itself :: Get-OfficeWebAppsMachine
check: The settings of the service :: Get-Content 'C:\Program Files\Microsoft Office Web Apps\SERVICE\settings_service.ini'


[excel-open] opening or using a workbook in Excel Services
of: excel
frame: ExcelServerProxy, ServerSession
text: ServerSession.ProcessServerSessionException
usually: The library is in no trusted file location of Excel Services.
usually: No server runs Excel Calculation Services, or its account has no rights in the content database.
check: Where workbooks may be :: Get-SPExcelServiceApplication | Get-SPExcelFileLocation
check: @instances
check: @pools

[excel-data] reading or refreshing external data of a workbook in Excel Services
of: excel
frame: ExternalSource
text: ExternalSource.ExecuteOperation
usually: The account that comes to the source has no rights there: the unattended account or target application is not set, or the user's own account is not delegated.
usually: The workbook's data connection library is not trusted, or its provider not installed on the server.
check: @targets
check: The settings of Excel Services, with the unattended account :: Get-SPExcelServiceApplication | Select-Object *
check: The Claims to Windows Token Service runs :: Get-CimInstance Win32_Service -Filter "Name='c2wts'"

[model-source] opening or asking a source of a data model at Analysis Services
of: data-model
text: Failed to create an external connection or execute a query
usually: The source does not answer from the server of the instance, or gives no rights to the user or the unattended account, as which it is opened.
usually: The instance's account lacks "Act as part of the operating system", so that it opens no source as the user; or the data provider is not installed, for 64 bits, on its server.
usually(win32:1346): The account of the Analysis Services instance lacks "Act as part of the operating system" on its server (secpol.msc), without which it may not act as the user.
usually(hresult:0x80090305): The instance came to the source with a token of the user that only identifies: its account lacks "Act as part of the operating system" on its server.
usually(refusal): The user, or the unattended account, as which the source is opened, has no rights there.
check: @ssas
check: Whether its account has "Act as part of the operating system" (SeTcbPrivilege), in a prompt that runs as it :: whoami /priv
check: The data source answers from the server of the instance :: Test-NetConnection SOURCE -Port PORT

[excel-model-servers] reaching the data model servers of Excel Services or Office Online Server
of: data-model
text: SSPM: Initialization failed on server
usually(hresult:0xC0000BB8): The instance has no counters of its memory: SQL Server 2017 with cumulative update 1 or 2 lacks them in tabular mode, which update 3 corrects.
usually: The account of Excel Services, or the machine account of the Office Online Server, is no administrator of the Analysis Services instance.
usually: The instance that is registered does not run, or does not answer from the server of Excel Services or Office Online.
check: Data model servers, on Office Online Server :: Get-OfficeWebAppsExcelBIServer
check: Data model servers (2013) :: Get-SPExcelServiceApplication | Get-SPExcelBIServer
check: @ssas
check: @pools

[powerpivot-refresh] refreshing data models of workbooks, or reading their schedules
of: powerpivot
frame: DataRefreshService
usually: The target application with the account of the refresh is not set, or has an old password.
usually: The account of the refresh has no Contribute on the workbook, or no rights in the data source.
check: @targets
check: @ssas
check: @instances

[powerpivot-dashboard] reading usage for PowerPivot's management dashboard
of: powerpivot
frame: WorkbookHistoryDataProvider, PowerPivotOperationsServiceImpl
text: Error loading history for workbook
usually: The dashboard has no data: the collection of usage data is off, or the timer jobs that bring them to PowerPivot fail.
usually(NullReferenceException): PowerPivot of SQL Server 2008 R2 was installed after updates of SharePoint, so that tables of the usage database lack keys; Service Pack 1 for the PowerPivot instance corrects it.
check: The versions of the SQL Server instances on this server, PowerPivot's among them :: Get-ItemProperty 'HKLM:\SOFTWARE\Microsoft\Microsoft SQL Server\*\Setup' | Select-Object SqlProgramDir, Edition, Version, PatchLevel
check: @jobs

[powerpivot-call] calling the PowerPivot service application
generic: yes
of: powerpivot
frame: GeminiServiceApplicationProxy, GeminiServiceApplication
usually(EndpointNotFoundException): No server runs the PowerPivot System Service, or the IIS site SharePoint Web Services does not answer there.
usually(refusal): The account of the calling pool may not use the PowerPivot service application.
check: @instances
check: @proxies
check: Solutions and where they are deployed :: Get-SPSolution | Select-Object Name, Deployed, DeployedServers, LastOperationResult

[performancepoint-call] calling PerformancePoint Services
generic: yes
of: performancepoint
frame: BIMonitoringServiceApplicationProxy
usually(EndpointNotFoundException): No server runs the PerformancePoint Service, or the IIS site SharePoint Web Services does not answer there.
usually(refusal): The user may not read the item, or its list or library is not among the trusted locations.
check: @instances
check: @proxies
check: Its service applications, with the unattended account :: Get-SPPerformancePointServiceApplication | Select-Object *

[performancepoint-data] querying the data source of a dashboard
of: performancepoint
frame: AdomdDataSourceProvider, AnalyticQueryManager
usually: The account that comes to the source has no role in the cube: the unattended account, or the user's own without delegation.
usually: The unattended account of PerformancePoint is not set, or the Secure Store does not give it out.
usually(absence): ADOMD.NET is not installed on this server in the version that PerformancePoint asks for.
check: Its service applications, with the unattended account :: Get-SPPerformancePointServiceApplication | Select-Object *
check: The Analysis Services instance answers :: Test-NetConnection ASSERVER -Port 2383
check: @targets

[reporting-call] calling the Reporting Services service application
generic: yes
of: reporting
frame: ReportingWebServiceApplicationProxy, ReportingWebServiceApplication
usually(EndpointNotFoundException): No server runs the SQL Server Reporting Services Service, or the IIS site SharePoint Web Services does not answer there.
check: @instances
check: @proxies
check: @databases

[report-rights] checking the rights of a user on a report
of: reporting
text: are insufficient for performing this operation
usually: The user lacks the permission of SharePoint that this action on a report needs: versions of Reporting Services ask for different ones, such as Edit Items, Create Alerts or Manage Alerts for subscriptions.
check: The user as the site knows it, with groups :: Get-SPUser -Web URL
check: The permissions of the user's level in the library of the report.

[report-viewer] showing a report in a Report Viewer web part
of: reporting
frame: ReportViewerWebPart
usually: The report, its shared data source or its model was moved or deleted.
usually: The report server does not answer, or its version does not fit that of the add-in on this server.
usually(refusal): The user may not read the report or its data source in their libraries.
check: @instances
check: The feature Report Server Integration of the site :: Get-SPFeature -Site URL
check: @proxies

[visio-render] drawing a Visio file for the browser
of: visio
frame: VisioGraphicsServiceApplicationProxy
text: Failed to get raster diagram for visio file
usually: No server runs the Visio Graphics Service, or the web application has no proxy of it.
usually: The account of the Visio Graphics Service has no rights in the content database with the drawing.
check: @instances
check: @proxies
check: @pools

[access-app] creating, running or checking Access apps
of: access
frame: AccessServicesWebServiceApplication, AccessServicesWebServiceApplicationProxy, AccessServicesMonitorTimerJob
usually: The SQL Server for Access apps lacks a setting: contained databases, mixed sign-in, TCP/IP and named pipes, or full-text search.
usually: The account of the service's pool is not dbcreator and securityadmin on that SQL Server.
usually: The app domain, the App Management service or the Subscription Settings service is not set up.
check: The database servers of Access apps :: Get-SPAccessServicesDatabaseServer -ServiceContext URL
check: The app domain :: Get-SPAppDomain
check: @instances


[word-conversion] converting documents with Word Automation Services
of: word
frame: WordServiceApplicationProxy, ConversionJob, SyncConverter
usually: No server runs Word Automation Services, or the web application has no proxy of it.
usually(refusal): The user for whom the job runs may not read the source or write to the target.
check: @instances
check: @proxies
check: @jobs

[conversion-queue] passing queued documents on to conversion or translation, or removing old jobs
frame: QueueJob, RemoveJobHistoryJobDefinition
usually: No server runs the service whose queue it is (Word Automation or Machine Translation), or its database does not answer.
usually(refusal): The account of the service application has no rights in the content database with the documents, or in its own database.
check: @instances
check: @jobs
check: @databases

[translation] translating documents with the Machine Translation service
of: translation
frame: TranslationServiceApplicationProxy, TranslationJob, SyncTranslator, LanguageJob
usually: The server has no way to the translation service in the internet.
usually: A service that it needs is not there: App Management, or User Profile in the default proxy group.
check: @instances
check: @proxies
check: The proxy of the machine account :: netsh winhttp show proxy

[conversion-settings] reading a setting in a service of Office, such as a conversion service
frame: ConfigAdapterBase.TryGetOverride
usually(NotImplementedException): web.config of the PowerPoint Conversion Service (WebServices\PowerPointConversion) names no ConfigAdapterAssemblyQualifiedTypeName in appSettings, which is known of SharePoint 2019 as it is installed.
check: Whether web.config of the service names an adapter, on each server that runs it :: Select-String -Path 'C:\Program Files\Common Files\microsoft shared\Web Server Extensions\*\WebServices\PowerPointConversion\web.config' -Pattern ConfigAdapterAssemblyQualifiedTypeName
check: @instances

[powerpoint-conversion] converting presentations
of: powerpoint
frame: PdfRequest, PresentationRequest, PictureRequest, XpsRequest
usually: No server runs the PowerPoint Conversion Service, or the web application has no proxy of it.
check: @instances
check: @proxies


[wopi-check-file] answering Office Online Server about a file, or finding its addresses
of: wopi
frame: Wopi, SPWOPIHost
usually: The zone of the bindings does not fit the address by which Office Online Server calls: http or https, internal or external.
usually: The web application signs users in without claims, which Office Online Server does not support.
usually(refusal): The user has no rights on the file, or the token of Office Online Server is not accepted: its proof key or OAuth over http.
check: The zone :: Get-SPWOPIZone
check: The bindings :: Get-SPWOPIBinding | Select-Object Application, Action, ServerName, WopiZone
check: Whether tokens go over http :: Get-SPSecurityTokenServiceConfig | Select-Object AllowOAuthOverHttp

[wopi-call] asking SharePoint for a file, from Office Online Server
generic: yes
of: office-online
frame: WopiDocument
text: WOPI CheckFile: Catch-All Failure
text: WOPICheckFile,WACSERVER
usually: Office Online Server does not reach the address of the SharePoint site: name, firewall, balancer, or a certificate that it does not trust.
usually(sentence:1): Office Online Server does not trust the certificate of the SharePoint site.
usually(sentence:5): Office Online Server does not resolve the host name of the SharePoint site.
usually(http:401): SharePoint does not accept the token: OAuth over http is not allowed, or a proxy or balancer before the site asks for a sign-in.
usually(http:404): SharePoint does not find the file for this user: it was moved or deleted, or the user has no rights on it.
check: The site answers from the server of Office Online :: Test-NetConnection SHAREPOINTHOST -Port 443
check: The zone, in SharePoint :: Get-SPWOPIZone
check: The farm, on one of its servers :: Get-OfficeWebAppsFarm

[office-web-farm] finding this server and its services in the farm of Office Web Apps or Office Online Server
of: office-online
frame: AFarmTopology, WSServiceInstanceFinderAdapter, ServiceInstanceFinder, WatchdogHelper.PrepareRegistrations
text: ServiceInstanceFinder has no data because of an adapter exception
text: ServiceInstanceFinderAdapter.FindAllServiceInstances() threw an exception
usually: An update was installed while the server was in its farm, which is not supported: it must leave the farm before, and join it or make it again afterwards.
usually: The farm does not know the server by its present name: it was renamed or cloned, or its computer name is not all in capitals (Office Web Apps Server 2013).
usually(KeyNotFoundException): The farm does not know the server by its present name: it was renamed or cloned, or its computer name is not all in capitals (Office Web Apps Server 2013).
usually(TypeInitializationException): An update was installed while the server was in its farm, which is not supported: it must leave the farm before, and join it or make it again afterwards.
usually(TypeInitializationException): If none was installed, mostly the farm does not know the server by its present name, for instance because it was renamed or its name is not all in capitals.
check: The names of the farm's machines, as the farm spells them :: Get-OfficeWebAppsFarm | Select-Object -ExpandProperty Machines
check: This server's name as Windows spells it: all in capitals, and the same as in the farm :: reg query HKLM\SYSTEM\CurrentControlSet\Control\ComputerName\ActiveComputerName /v ComputerName
check: The updates that were installed last, to compare with when it began :: Get-WinEvent -FilterHashtable @{LogName='Application'; ProviderName='MsiInstaller'; Id=1022} -MaxEvents 20 | Select-Object TimeCreated, Message


[project-call] calling Project Server
generic: yes
of: project
frame: PsiServiceApplicationProxy, PsiServiceApplication
usually(EndpointNotFoundException): No server runs the Project Application Service, or the IIS site SharePoint Web Services does not answer there.
check: @instances
check: @iispools
check: @databases

[project-publish] publishing a project
of: project
text: ProjectPublishFailure
text: ProjectPublishEnqueueFailure
usually: An earlier job of the same project failed and blocks those after it in the queue.
check: The jobs of the project in Manage Queue Jobs, those that failed and block others first.
check: @databases

[project-reporting] writing project data into the tables for reports
of: project
text: ReportingProjectChangeMessageFailed
text: ReportingResourceChangeMessageFailed
text: ReportingTimesheetSaveMessageFailed
text: ReportingCustomFieldMetadataChangeMessageFailed
text: ReportingLookupTableChangeMessageFailed
text: ReportingRDBRefreshMessageFailed
text: ReportingRdbBulkDataSyncMessageFailed
usually: The tables for reports do not agree with the published data: a resource, custom field or lookup table is missing or stands there otherwise.
usually(sql:2627): The tables for reports have the row already: they do not agree with the published data.
usually(sql:547): The tables for reports lack a row that this one refers to, such as a resource, a task or a lookup value.
check: The job in Manage Queue Jobs, with its whole error.
check: @databases
check: @space

[project-site-sync] reading risks, issues and documents of project sites
of: project
text: ReportingWSSSyncMessageFailed
text: ReportingWssSyncListFailed
text: ReportingGetSPWebFailed
text: ReportingWssTransferLinksFailed
usually: The project points to a site that was deleted, moved or renamed (Connected SharePoint Sites).
usually: A list of the site, such as Risks or Issues, was deleted or lacks a column.
usually(refusal): The account of the service application has no rights in the content database or the site.
check: The sites of the projects, in Connected SharePoint Sites of Project Web App.
check: The lists of the site :: Get-SPWeb URL | Select-Object -ExpandProperty Lists | Select-Object Title, BaseTemplate

[project-site-create] creating the site of a project
of: project
text: WSSCreateSiteFailure
text: Creating project site failed
usually(sentence:29): The address that Project Server builds is not one of the web application's: an alternate access mapping, a zone or a managed path is missing or wrong.
text: WSSWebAlreadyExists
usually: A site stands at this address already, or the site template of the project type is missing.
usually(refusal): The user or the service has no right to create sites below Project Web App.
check: The site at the address :: Get-SPWeb URL | Select-Object Url, WebTemplate, Created
check: The site settings of the enterprise project type in Project Web App.

[project-cube] building the OLAP cube of Project Server
of: project
text: CBSGeneralFailure
text: CBSASConnectionFailure
text: CBSOlapProcessingFailure
text: CBSOlapDatabaseSetupFailure
text: CBSMetadataProcessingFailure
text: CBSDsoNotInstalled
usually: The account of the Project service is no administrator of the Analysis Services instance.
usually: The Analysis Management Objects of SQL Server are not installed on the server that builds the cube, or not in the version of the instance.
usually: The account of the Analysis Services instance may not read the tables for reports.
check: The Analysis Services instance answers :: Test-NetConnection ASSERVER -Port 2383
check: @ssas
check: @pools


[usage-setup] setting up the usage service application
of: usage
frame: SPUsageApplication.Provision
usually: The account that sets it up is not dbcreator and securityadmin on SQL Server.
usually: A logging database of the same name is there already.
check: The usage application and its database :: Get-SPUsageApplication
check: @databases

[state-cleanup] deleting expired sessions of the State Service
of: state-service
frame: StateServiceExpiredSessionJobDefinition
usually: The database of the State Service does not answer, or the farm account has no rights in it.
check: Its databases :: Get-SPStateServiceDatabase
check: @jobs

[cache-connect] connecting with the Distributed Cache
of: distributed-cache
frame: SPDistributedCachePointerWrapper
text: SPDistributedCachePointerWrapper::InitializeDataCacheFactory
usually: No host of the Distributed Cache is started.
usually: A firewall between the server and the hosts of the cache blocks TCP 22233 to 22236.
check: @cachehosts
check: @instances
check: The Windows service on each host (SPCache in the Subscription Edition) :: Get-Service AppFabricCachingService, SPCache -ErrorAction SilentlyContinue

[cache-instance] reading or changing the Distributed Cache of a server
of: distributed-cache
frame: SPDistributedCacheServiceInstance, SPDistributedCacheClusterInfo, SPDistributedCacheHostInfo
usually: The configuration of the cache cluster still has this host from earlier, or lacks it.
usually: A firewall between the hosts of the cache blocks TCP 22233 to 22236 or ping.
usually(refusal): The account that runs the command is no local administrator and farm administrator, or the session is not elevated.
check: @instances
check: @cachehosts
check: The Windows service on each host (SPCache in the Subscription Edition) :: Get-Service AppFabricCachingService, SPCache -ErrorAction SilentlyContinue

[subscription-call] calling the Subscription Settings service
generic: yes
of: subscription
frame: SPSubscriptionSettingsServiceApplicationProxy, SPSubscriptionSettingsServiceApplication
usually(EndpointNotFoundException): No server runs the Subscription Settings Service, or the IIS site SharePoint Web Services does not answer there.
usually(refusal): The account of the calling pool is not among those who may use the service application (Permissions).
check: @instances
check: @proxies
check: @iispools

[app-management-call] calling the App Management service
generic: yes
of: app-management
frame: AppManagementServiceApplicationProxy, AppManagementServiceApplication
usually(EndpointNotFoundException): No server runs the App Management Service, or the IIS site SharePoint Web Services does not answer there.
usually(refusal): The account of the calling pool is not among those who may use the service application (Permissions).
check: @instances
check: @proxies
check: @iispools

[app-install] installing add-ins that wait
of: app-management
frame: SPAppInstallationJobDefinition
usually: The app domain or the app prefix is not set, or the App Management or Subscription Settings service does not answer.
check: The app domain :: Get-SPAppDomain
check: The prefix of app addresses :: Get-SPAppSiteSubscriptionName
check: @instances

[app-state] asking the store and the catalogs for news of installed add-ins
of: app-management
frame: SPAppStateQueryJobDefinition, SPInternalAppStateQueryJobDefinition
usually: The server has no way to the Office Store in the internet, or the App Catalog of the web application is not to be found.
check: The store answers from this server :: Test-NetConnection store.office.com -Port 443
check: The proxy of the machine account :: netsh winhttp show proxy
check: @jobs

[oos-certificate] starting the services of Office Online Server with the certificate of their farm
of: office-online
text: The certificate has not been specified
usually: CertificateName of the Office Online farm fits no certificate of the machine's Personal store, or several of one friendly name, or one without its private key.
check: The certificates of the machine and their friendly names :: Get-ChildItem Cert:\LocalMachine\My | Select-Object FriendlyName, Subject, NotAfter, HasPrivateKey
check: The name that the farm asks for :: Get-OfficeWebAppsFarm | Select-Object CertificateName

[membership-sync] copying the permissions of a project to its project site
of: project
text: SynchronizeMembershipForWssSite
usually: The project site or its site collection is locked or read-only, or was deleted.
usually(refusal): The account of the service application has no rights on the project site.
check: The lock of the site collection :: Get-SPSite URL | Select-Object Url, ReadOnly, WriteLocked, LockIssue
check: The job in Manage Queue Jobs, with its whole error.

"""##,
    ]
}
