"""The words of made-up ULS logs: a farm's processes, areas, pages, scopes, and the words of its messages."""

# Name, process ID on the first server, share.
PROCESSES = (
    ("w3wp.exe", 0x1790, 48), ("w3wp.exe", 0x2A1C, 14), ("w3wp.exe", 0x0F38, 8), ("OWSTIMER.EXE", 0x0880, 12),
    ("mssearch.exe", 0x17E4, 5), ("mssdmn.exe", 0x1F10, 4), ("noderunnerquery1.exe", 0x2210, 2),
    ("noderunnercontent1.exe", 0x2344, 2), ("Microsoft.Office.Web.AgaveHost.exe", 0x3308, 1),
    ("DistributedCacheService.exe", 0x1A04, 2), ("PowerShell.exe", 0x4D2C, 1), ("hostcontrollerservice.exe", 0x0C14, 1),
)
LONG_PROCESS = ("Microsoft.Office.Server.Conversions.Launcher.exe", 0x51AC)  # wider than its column

AREAS = {
    "SharePoint Foundation": (
        "General", "Logging Correlation Data", "Monitoring", "Runtime", "Database", "Topology", "Timer",
        "Claims Authentication", "Authentication Authorization", "Upgrade", "Health", "Files", "Feature Infrastructure",
        "Web Controls", "Web Parts", "Workflow Infrastructure", "Sandboxed Code Service", "Asp Runtime",
        "Usage Infrastructure", "Performance", "CSOM", "App Auth", "Micro Trace", "Request Management", "Configuration",
        "E-Mail", "Alerts", "DDF",
    ),
    "SharePoint Server": (
        "General", "Database", "Taxonomy", "Unified Logging Service", "Logging Correlation Data", "Shared Services",
        "User Profiles", "Audience Validation", "Site Directory", "Document Management",
    ),
    "SharePoint Server Search": (
        "Query Processing", "Crawler:Gatherer Plugin", "Crawler:Content Plugin", "Administration", "Query",
        "Search Component", "Analytics", "Propagation Manager", "MS Search Admin", "Ims",
    ),
    "SharePoint Portal Server": (
        "User Profiles", "Personal Site Instantiation", "Business Data", "MicroBlogging", "My Site",
    ),
    "Web Content Management": ("Publishing", "Publishing Cache", "Publishing Provisioning", "Content Deployment"),
    "Document Conversions": ("Load Balancer Service", "Launcher Service"),
    "Excel Services Application": ("Excel Calculation Services", "Web Front End", "Data Model"),
    "Secure Store Service": ("Secure Store", "Database"),
    "Business Connectivity Services": ("Business Data", "Administration"),
    "Office Web Apps": ("Services Infrastructure", "WAC Hosting Interaction", "View",
                        "End-to-end Office Performance T"),
    "Access Services": ("Data Layer", "Administration"),
    "Project Server": ("Queue", "Provisioning", "General"),
    "DistributedCache": ("Client", "Server"),
}

# Level and share, of events that are not scopes.
LEVELS = (
    ("Verbose", 22), ("Medium", 38), ("High", 14), ("Monitorable", 4), ("Unexpected", 5), ("Critical", 0.4),
    ("VerboseEx", 9), ("Information", 4), ("Warning", 3), ("Assert", 0.6),
)

HOSTS = ("https://portal.contoso.example:443", "https://my.contoso.example:443", "http://intranet:80")
SITES = (
    "", "/sites/hr", "/sites/finance", "/sites/legal", "/sites/sales", "/sites/marketing", "/sites/it",
    "/sites/quality",
    "/sites/projects", "/sites/projects/apollo", "/sites/projects/gemini", "/sites/projects/orion", "/sites/research",
    "/sites/archive", "/sites/search", "/sites/training", "/sites/purchasing", "/sites/facilities", "/sites/board",
    "/sites/works-council", "/sites/plant-north", "/sites/plant-south", "/teams/web", "/teams/service-desk",
)
SITE_PAGES = (
    "/default.aspx", "/SitePages/Home.aspx", "/Pages/Welcome.aspx", "/Pages/News.aspx",
    "/Shared Documents/Forms/AllItems.aspx", "/Lists/Tasks/AllItems.aspx", "/Lists/Tasks/DispForm.aspx",
    "/Lists/Announcements/DispForm.aspx", "/Lists/Calendar/calendar.aspx", "/Lists/Contacts/AllItems.aspx",
    "/Lists/Requests/NewForm.aspx", "/Lists/Requests/EditForm.aspx", "/Forms/Upload.aspx", "/Wiki/Home.aspx",
    "/_layouts/15/viewlsts.aspx", "/_layouts/15/settings.aspx", "/_layouts/15/user.aspx", "/_layouts/15/start.aspx",
    "/_layouts/15/WopiFrame.aspx", "/_layouts/15/listedit.aspx", "/_layouts/15/Upload.aspx",
    "/_layouts/15/download.aspx",
)
PAGES_OF_A_SITE = 8
SERVICES = (
    "/_vti_bin/client.svc/ProcessQuery", "/_vti_bin/lists.asmx", "/_vti_bin/webs.asmx", "/_vti_bin/sites.asmx",
    "/_vti_bin/search.asmx", "/_vti_bin/UserProfileService.asmx", "/_vti_bin/copy.asmx", "/_vti_bin/Permissions.asmx",
    "/_vti_bin/owssvr.dll", "/_vti_bin/_vti_aut/author.dll", "/_vti_bin/cellstorage.svc/CellStorageService",
    "/_vti_bin/ListData.svc", "/_vti_bin/ExcelRest.aspx", "/_vti_inf.html", "/_trust/default.aspx",
    "/_api/contextinfo", "/_api/web", "/_api/web/currentuser", "/_api/search/query", "/_api/web/lists",
    "/_api/web/lists(guid'{guid}')/items", "/_api/web/lists(guid'{guid}')/items({number})",
    "/_api/web/siteusers/getbyid({number})", "/_api/SP.UserProfiles.PeopleManager/GetMyProperties",
    "/SecurityTokenServiceApplication/securitytoken.svc", "/Topology/topology.svc", "/{guid}/MetadataWebService.svc",
    "/{guid}/SearchService.svc", "/{guid}/ProfilePropertyService.svc", "/{guid}/SecureStoreService.svc",
)
QUERIES = (
    "", "", "?ID={number}", "?ID={number}&Source=%2FLists%2FTasks%2FAllItems%2Easpx", "?View=%7B{guid}%7D",
    "?RootFolder=%2FShared%20Documents%2F{word}&FolderCTID=0x012000&View=%7B{guid}%7D", "?CS=65001",
    "?sourcedoc=%7B{guid}%7D&action=view&wdparaid={number}", "?$select=Id,Title&$top={number}&$skiptoken={number}",
    "?InitialTabId=Ribbon%2EDocument&VisibilityContext=WSSTabPersistence", "?k={word}&start={number}",
)

TIMER_JOBS = (
    "Application Addresses Refresh Job", "CEIP Data Collection", "Change Log", "Content Type Hub", "Dead Site Delete",
    "Delete Job History", "Disk Quota Maintenance", "Health Analysis Job (Hourly, Owstimer, Any Server)",
    "Immediate Alerts", "Indexing Schedule Manager", "Password Management", "Product Version Job", "Query Logging",
    "Recycle Bin", "SchedulingApproval", "SchedulingUnpublish", "Search Health Monitoring - Trace Events",
    "Secure Store Maintenance", "SharePoint BI Maintenance", "Site Inventory Collection",
    "Solution Daily Resource Usage Update",
    "Storage Metrics Processing", "Taxonomy Update Scheduler", "User Profile to SharePoint Language Synchronization",
    "Workflow", "Workflow Auto Cleanup", "job-application-server-admin-service", "job-email-delivery",
    "job-timer-locks",
    "job-upgrade-sites",
)
SCOPES = (
    "PostAuthenticateRequestHandler", "PostResolveRequestCacheHandler", "GetFileAndMetaInfo", "GetWebPartPageContent",
    "SharePointForms Initialize", "EnsureListItemsData", "Add WebParts", "Ensure Cross Page Data", "Render Ribbon.",
    "Render WebPart Zone g_F5B3A0C1D2E34F5A8B9C0D1E2F304152", "Render WebPart Zone g_0A1B2C3D4E5F60718293A4B5C6D7E8F9",
    "Render WebPart Zone g_9D8C7B6A594837261504F3E2D1C0BFAE", "SPRequest.OpenWeb", "SPSqlClient.ExecuteReader",
    "SPSecurityTokenService.Issue", "SPSecurityTokenService.GetOutputClaimsIdentity()",
    "SPClaimProvider.FillClaimsForEntity()",
    "SPClaimProviderOperations.ClaimsForEntity()", "SPCertificateValidator.Validate", "CalculatePrincipal",
    "ExecuteWcfServerOperation", "ExecuteSecurityTokenServiceOperationServer", "Execute Query", "QueryProcessing",
    "UserProfileManager.GetUserProfile", "TaxonomySession.GetTermStores", "BlobCache.Rewrite", "PublishingHttpModule",
    "SPDistributedCache.Get", "SPWorkflowManager.RunWorkflow",
)
SERVICE_CALLS = (
    "ExecuteWcfServerOperation", "ExecuteSecurityTokenServiceOperationServer", "MetadataWebServiceApplication.GetTerms",
    "SearchServiceApplication.Execute", "ProfilePropertyService.GetProfileProperties",
    "SecureStoreService.GetCredentials",
)

BEGINNINGS = (
    "HTTP Request method: POST ", "Site=", "Non-OAuth request. IsAuthenticated=True, UserIdentityName=0#.w|contoso\\",
    "SPAggregateResourceTally: ", "Micro Trace Tags: 0 nasq,1 agb9s,3 b4ly,5 ak8dj ", "Slow Query Duration: ",
    "Getting Error Message for Exception System.NullReferenceException: ", "Sql Ring buffer status eventsPerSec = ",
    "Application Authentication Pipeline took ", "Updating SPPersistedObject ", "Value for checkpoint of ",
    "Site cache miss for ",
)
WORDS = (
    "site list item field value cache token claim provider request response handler module feature scope query index "
    "crawl document library permission role user group profile property service application database connection timeout "
    "retry server farm content web part template workflow job timer lock thread session expired invalid missing returned "
    "loaded created updated deleted skipped started finished completed failed with without from into for the because using"
).split()
NOT_ASCII = ("Müller", "Zoë", "Łukasz", "Überprüfung der Anmeldung", "サイト コレクション", "Réponse reçue")
FRAMES = (
    "   at Microsoft.SharePoint.Library.SPRequestInternalClass.GetUserToken(String bstrUrl, String bstrLogin)",
    "   at Microsoft.SharePoint.SPSite..ctor(SPFarm farm, Uri requestUri, Boolean contextSite, SPUserToken userToken)",
    "   at System.Web.UI.Control.LoadRecursive()",
    "   at System.Web.UI.Page.ProcessRequestMain(Boolean includeStagesBeforeAsyncPoint, "
    "Boolean includeStagesAfterAsyncPoint)",
    "   at Microsoft.SharePoint.Utilities.SecurityContext.RunAsProcess(CodeToRunElevated secureCode)",
    "   at Microsoft.SharePoint.SPSecurity.<>c__DisplayClass5.<RunWithElevatedPrivileges>b__3()",
    "   at Microsoft.Office.Server.UserProfiles.UserProfileManager..ctor(SPServiceContext ctx, Boolean ignorePrivacy)",
    "   at System.Data.SqlClient.SqlConnection.OnError(SqlException exception, Boolean breakConnection)",
    " --- End of inner exception stack trace ---",
)
