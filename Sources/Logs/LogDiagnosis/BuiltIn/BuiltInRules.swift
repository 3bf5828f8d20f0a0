// swift-format-ignore-file
// Written by Scripts/embed-rules: change the files in Rules, then "make rules".

/// The built-in rules, as written in their files.
enum BuiltInRules {
    static let files: [RuleFile] = [
        RuleFile(name: "FS0101.yaml", text: FS0101),
        RuleFile(name: "FS0401.yaml", text: FS0401),
        RuleFile(name: "FS0402.yaml", text: FS0402),
        RuleFile(name: "FS0403.yaml", text: FS0403),
        RuleFile(name: "FS0404.yaml", text: FS0404),
        RuleFile(name: "FS1002.yaml", text: FS1002),
        RuleFile(name: "FS1003.yaml", text: FS1003),
        RuleFile(name: "FS1004.yaml", text: FS1004),
        RuleFile(name: "FS1006.yaml", text: FS1006),
        RuleFile(name: "FS1010.yaml", text: FS1010),
        RuleFile(name: "FS1011.yaml", text: FS1011),
        RuleFile(name: "FS1015.yaml", text: FS1015),
        RuleFile(name: "FS1017.yaml", text: FS1017),
        RuleFile(name: "FS1018.yaml", text: FS1018),
        RuleFile(name: "FS1020.yaml", text: FS1020),
        RuleFile(name: "FS1021.yaml", text: FS1021),
        RuleFile(name: "FS1024.yaml", text: FS1024),
        RuleFile(name: "FS1026.yaml", text: FS1026),
        RuleFile(name: "FS1028.yaml", text: FS1028),
        RuleFile(name: "FS1029.yaml", text: FS1029),
        RuleFile(name: "FS1032.yaml", text: FS1032),
        RuleFile(name: "FS1033.yaml", text: FS1033),
        RuleFile(name: "FS1034.yaml", text: FS1034),
        RuleFile(name: "FS1035.yaml", text: FS1035),
        RuleFile(name: "FS1037.yaml", text: FS1037),
        RuleFile(name: "FS1038.yaml", text: FS1038),
        RuleFile(name: "FS1040.yaml", text: FS1040),
        RuleFile(name: "FS1041.yaml", text: FS1041),
        RuleFile(name: "FS1042.yaml", text: FS1042),
        RuleFile(name: "FS1043.yaml", text: FS1043),
        RuleFile(name: "FS1044.yaml", text: FS1044),
        RuleFile(name: "FS1045.yaml", text: FS1045),
        RuleFile(name: "FS1046.yaml", text: FS1046),
        RuleFile(name: "FS1047.yaml", text: FS1047),
        RuleFile(name: "FS1048.yaml", text: FS1048),
        RuleFile(name: "FS1049.yaml", text: FS1049),
        RuleFile(name: "FS1050.yaml", text: FS1050),
        RuleFile(name: "FS1051.yaml", text: FS1051),
        RuleFile(name: "FS1054.yaml", text: FS1054),
        RuleFile(name: "FS1056.yaml", text: FS1056),
        RuleFile(name: "FS1057.yaml", text: FS1057),
        RuleFile(name: "FS1058.yaml", text: FS1058),
        RuleFile(name: "FS1059.yaml", text: FS1059),
        RuleFile(name: "FS1060.yaml", text: FS1060),
        RuleFile(name: "FS1061.yaml", text: FS1061),
        RuleFile(name: "FS1063.yaml", text: FS1063),
        RuleFile(name: "FS1065.yaml", text: FS1065),
        RuleFile(name: "FS1066.yaml", text: FS1066),
        RuleFile(name: "FS1067.yaml", text: FS1067),
        RuleFile(name: "FS1068.yaml", text: FS1068),
        RuleFile(name: "FS1073.yaml", text: FS1073),
        RuleFile(name: "FS1078.yaml", text: FS1078),
        RuleFile(name: "FS1079.yaml", text: FS1079),
        RuleFile(name: "FS1082.yaml", text: FS1082),
        RuleFile(name: "FS1083.yaml", text: FS1083),
        RuleFile(name: "FS1087.yaml", text: FS1087),
        RuleFile(name: "FS1088.yaml", text: FS1088),
        RuleFile(name: "FS1089.yaml", text: FS1089),
        RuleFile(name: "FS1090.yaml", text: FS1090),
        RuleFile(name: "FS1091.yaml", text: FS1091),
        RuleFile(name: "FS1093.yaml", text: FS1093),
        RuleFile(name: "FS1095.yaml", text: FS1095),
        RuleFile(name: "FS1098.yaml", text: FS1098),
        RuleFile(name: "FS1100.yaml", text: FS1100),
        RuleFile(name: "FS1101.yaml", text: FS1101),
        RuleFile(name: "FS1105.yaml", text: FS1105),
        RuleFile(name: "FS1106.yaml", text: FS1106),
        RuleFile(name: "FS1107.yaml", text: FS1107),
        RuleFile(name: "FS1108.yaml", text: FS1108),
        RuleFile(name: "FS1110.yaml", text: FS1110),
        RuleFile(name: "FS1111.yaml", text: FS1111),
        RuleFile(name: "FS1113.yaml", text: FS1113),
        RuleFile(name: "FS1115.yaml", text: FS1115),
        RuleFile(name: "FS1116.yaml", text: FS1116),
        RuleFile(name: "FS1117.yaml", text: FS1117),
        RuleFile(name: "FS1118.yaml", text: FS1118),
        RuleFile(name: "FS1119.yaml", text: FS1119),
        RuleFile(name: "FS9101.yaml", text: FS9101),
        RuleFile(name: "FS9102.yaml", text: FS9102),
        RuleFile(name: "FS9103.yaml", text: FS9103),
        RuleFile(name: "FS9104.yaml", text: FS9104),
        RuleFile(name: "FS9105.yaml", text: FS9105),
        RuleFile(name: "FS9106.yaml", text: FS9106),
        RuleFile(name: "FS9107.yaml", text: FS9107),
        RuleFile(name: "FS9108.yaml", text: FS9108),
    ]
}

private let FS0101 = ##"""
schema: fastctl.rule/1
id: FS0101
slug: aspnet-tracing-breaks-requests
revision: 2
status: stable
title: ASP.NET tracing is on and breaks requests
category: configuration
tags: [sharepoint, aspnet, web.config, owssvr, list-views, sharepoint-designer]
needs: {uls: optional, web_config: optional}
supersedes: [FS1002]

select:
  owssvr_request:
    event_id: xmnv
    message|re: 'Name=Request \([A-Z]+:[^?]*/_vti_bin/owssvr\.dll'
  resource_failed: # b9y4 names no file; a paste may have lost its back-slashes; a feature's file has another folder
    event_id: [b9y3, b9y9]
    message|re: 'Web Server Extensions\\?[0-9]+\\?Resources\\?wss[^\\]*\.resx'
  lookup_failed:
    event_id: 8e26
    message|contains: keyfile wss
  trace_throws: # two tags that report exceptions below Monitorable, and any row at or above it
    - event_id: [8nca, ajlz0]
      message|contains: ["System.Web.TraceContext.AddNewControl(", "Trace requires that controls have unique IDs"]
      capture: "same ID '{control_id}' were found"
    - level|gte: Monitorable
      message|contains: ["System.Web.TraceContext.AddNewControl(", "Trace requires that controls have unique IDs"]
      capture: "same ID '{control_id}' were found"
  postback_broken:
    level|gte: Monitorable
    message|contains: Sys.WebForms.PageRequestManagerParserErrorException

check:
  owssvr:
    sequence: {steps: [owssvr_request, resource_failed, lookup_failed], by: request, within: 60s}
    label: "{count} owssvr.dll request(s) could not read wss*.resx (save a list view, SharePoint Designer, new web part page)"
  thrown:
    count: {of: trace_throws, distinct: request, gte: 1}
    label: "{count} page request(s) failed because control '{control_id|(not named)}' appears twice"
  ajax:
    count: {of: postback_broken, gte: 1}
    label: "{count} partial postback(s) broken by text that was appended to the page"
  trace_on:
    config: {element: system.web/trace, where: {enabled: {bool: true}}}
  trace_everywhere: # in a location, it says nothing about the requests that failed elsewhere
    config: {element: system.web/trace, location: none, where: {enabled: {bool: true}}}
  trace_for_owssvr:
    config: {element: system.web/trace, location: _vti_bin, where: {enabled: {bool: true}}}
  page_output:
    config: {element: system.web/trace, where: {enabled: {bool: true}, pageOutput: {bool: true}}}
  remote_viewer:
    config: {element: system.web/trace, where: {enabled: {bool: true}, localOnly: {bool: false}}}

verdicts:
  - id: confirmed
    when: {any: [{all: [trace_everywhere, {any: [owssvr, thrown]}]}, {all: [trace_for_owssvr, owssvr]}]}
    symptoms: [owssvr, thrown]
    severity: error
    confidence: certain
    message: "ASP.NET tracing is on ({trace_on.at}) and breaks requests."
  - id: ajax
    when: {all: [ajax, page_output]}
    symptoms: [ajax]
    severity: error
    confidence: likely
    message: "ASP.NET appends its trace to every page ({page_output.at}), and partial postbacks break."
  - id: in-location
    when: {all: [trace_on, {not: trace_everywhere}, {any: [owssvr, thrown]}]}
    symptoms: [owssvr, thrown]
    severity: error
    confidence: possible
    message: >-
      The log shows what ASP.NET tracing does to requests, and tracing is on for a part of the site ({trace_on.at}). The
      log does not say whether these requests were in that part.
  - id: log-only
    when: {all: [{unknown: trace_on}, {any: [owssvr, thrown]}]}
    symptoms: [owssvr, thrown]
    severity: error
    confidence: likely
    message: "The log shows what ASP.NET tracing does to requests. Give the web.config with --web-config to see file and line."
  - id: contradicted
    when: {all: [{not: trace_on}, {any: [owssvr, thrown]}]}
    symptoms: [owssvr, thrown]
    severity: warning
    confidence: possible
    message: "The log shows what ASP.NET tracing does to requests, but it is off in the web.config that was given."
  - id: latent-remote
    when: remote_viewer
    severity: warning
    confidence: certain
    message: "ASP.NET tracing is on and shows the requests of all users to any computer ({remote_viewer.at})."
  - id: latent
    when: trace_on
    severity: warning
    confidence: certain
    message: "ASP.NET tracing is on ({trace_on.at}). No failure caused by it was seen."

explain:
  what: >-
    ASP.NET tracing (system.web/trace) is on in the web.config, or rows show what it does to requests; then the
    web.config decides. Where it is on, ASP.NET records every request and walks through all controls of every page.
  why: >-
    With tracing on, requests to owssvr.dll look for SharePoint's language files wss*.resx in a folder that has never
    had them, and fail. On pages, two controls with the same ID make that walk throw an HttpException. Trace output at
    the end of a page (pageOutput) breaks partial postbacks. A message about FindControl instead of Trace has nothing to
    do with this. Rows are recognized by event ID and stack frame; without a stack, the English sentence is needed.
  impact: >-
    Where it breaks requests: users cannot save list views, SharePoint Designer cannot open the site, web part pages
    cannot be created; search and settings pages may show an error. Web applications without tracing are not affected.

fix:
  - step: Set enabled="false" at {trace_on.at}, or remove the trace element.
    where: each web front end, each zone of the web application
    effect: saving web.config restarts the web application; requests in flight are lost and the next ones are slow
    undo: restore the attribute's value
    when: [confirmed, in-location, ajax, latent-remote, latent]
  - step: Look for a trace element with enabled="true" below system.web, also inside location elements.
    where: web.config of the web application, each web front end, each zone
    effect: reading changes nothing; removing the element restarts the web application
    undo: put the element back
    when: log-only
  - step: >-
      Make sure that the web.config belongs to the zone and server where users see the failure, and that it was not
      repaired after the log was written. Then look for Trace="true" in page directives and for profilers that switch
      tracing on.
    where: the servers of the log
    when: [contradicted, in-location]
  - step: >-
      Do not copy .resx files to the Resources folder. They belong to App_GlobalResources of the web application, and
      copying them does not help.
    when: [confirmed, in-location, log-only, contradicted]
  - step: If tracing is needed for a while, give the duplicate control its own ID and keep pageOutput="false".
    where: the page or feature that adds the control twice
    undo: switch tracing off again
    when: [confirmed, in-location, ajax]
repair: {of: trace_on, set: {enabled: "false"}}
verify: >-
  Save a list view as a user would; then fastctl diagnose --rule FS0101 --since TIME-OF-THE-CHANGE --web-config
  web.config LOGS must end with exit code 0.

references:
  - title: "trace Element (ASP.NET Settings Schema): enabled and pageOutput are false by default, localOnly true"
    url: https://learn.microsoft.com/en-us/previous-versions/dotnet/netframework-4.0/6915t83k(v=vs.100)
  - title: "Multiple controls with the same ID 'ctl00' were found: removing <trace enabled=\"true\"> from web.config helps"
    url: https://github.com/Glimpse/Glimpse/issues/183
  - title: "Multiple controls with the same ID: the stack from TraceContext.AddNewControl to Page.ProcessRequestMain"
    url: https://github.com/Glimpse/Glimpse/issues/965
  - title: >-
      Sys.WebForms.PageRequestManagerParserErrorException: "Common causes for this error are when the response is modified by
      calls to Response.Write(), response filters, HttpModules, or server trace is enabled."
    url: http://weblogs.asp.net/leftslipper/archive/2007/02.aspx

"""##

private let FS0401 = ##"""
schema: fastctl.rule/1
id: FS0401
slug: debug-compilation-on
revision: 1
status: stable
title: Debug compilation is on in web.config
category: configuration
tags: [aspnet, web.config, performance]
needs: {web_config: required}

check:
  debug:
    config: {element: system.web/compilation, where: {debug: {bool: true}}}

verdicts:
  - id: debug
    when: debug
    severity: warning
    confidence: certain
    message: "web.config lets pages be compiled for debugging ({debug.at})."

explain:
  what: The compilation element of a web.config has debug="true", which is meant for development.
  why: >-
    Pages take longer to compile because batches are off, code runs slower, more memory is used, and scripts and images
    of WebResource.axd are fetched again with every page; requests that hang have no time limit. Somebody probably switched it on to find an error.
  impact: Pages of the web application are slower, most of all after a restart; the servers need more memory.

fix:
  - step: Set debug="false" at {debug.at}.
    where: each web front end, each zone of the web application
    effect: saving web.config restarts the web application; requests in flight are lost and the next ones are slow
    undo: set debug="true" again
repair: {of: debug, set: {debug: "false"}}
verify: fastctl diagnose --rule FS0401 --web-config web.config must end without a finding.

references:
  - title: "Don't run production ASP.NET Applications with debug=\"true\" enabled"
    url: https://asp-blogs.azurewebsites.net/scottgu/442448
  - title: compilation Element (ASP.NET Settings Schema)
    url: https://learn.microsoft.com/en-us/previous-versions/dotnet/netframework-4.0/s10awwz0(v=vs.100)

"""##

private let FS0402 = ##"""
schema: fastctl.rule/1
id: FS0402
slug: error-details-shown
revision: 1
status: stable
title: ASP.NET's error details are not hidden from remote users
category: security
tags: [aspnet, web.config, security]
needs: {web_config: required}

check:
  off:
    config: {element: system.web/customErrors, where: {mode: {equals: "Off"}}}

verdicts:
  - id: details-shown
    when: off
    severity: warning
    confidence: certain
    message: "customErrors is Off ({off.at}): where ASP.NET shows an error itself, remote users see its details too."

explain:
  what: The customErrors element of a web.config has mode="Off".
  why: >-
    ASP.NET then shows its own error page with exception, stack and paths to everybody, not only on the server itself.
    Somebody probably switched it on to find an error.
  impact: Strangers learn paths, component versions and sometimes data; users see a page that tells them nothing.

fix:
  - step: Set mode="On" at {off.at}; RemoteOnly keeps the details for browsers on the server itself.
    where: each web front end, each zone of the web application; the web.config below _layouts has its own element
    effect: saving web.config restarts the web application; requests in flight are lost and the next ones are slow
    undo: set mode="Off" again
repair: {of: off, set: {mode: "On"}}
verify: fastctl diagnose --rule FS0402 --web-config web.config must end without a finding.

references:
  - title: >-
      customErrors Element (ASP.NET Settings Schema): "Off: The detailed ASP.NET errors are shown to the remote clients
      and to the local host."
    url: https://learn.microsoft.com/en-us/previous-versions/dotnet/netframework-4.0/h0hfz6fc(v=vs.100)

"""##

private let FS0403 = ##"""
schema: fastctl.rule/1
id: FS0403
slug: call-stack-shown
revision: 1
status: stable
title: SharePoint lets errors through with their call stack
category: security
tags: [sharepoint, web.config, security]
needs: {web_config: required}

check:
  shown:
    config: {element: SharePoint/SafeMode, where: {CallStack: {bool: true}}}

verdicts:
  - id: call-stack-shown
    when: shown
    severity: warning
    confidence: certain
    message: "SafeMode has CallStack=\"true\" ({shown.at}): SharePoint lets errors through with their call stack instead of its own error page."

explain:
  what: The SafeMode element of a web.config has CallStack="true".
  why: >-
    SharePoint then lets the exception with its stack through instead of its own error page. That is a setting for
    developers, which is often left on together with customErrors and debug compilation.
  impact: Users see stack traces, and strangers learn which components and versions are installed.

fix:
  - step: Set CallStack="false" at {shown.at}.
    where: each web front end, each zone of the web application
    effect: saving web.config restarts the web application; requests in flight are lost and the next ones are slow
    undo: set CallStack="true" again
repair: {of: shown, set: {CallStack: "false"}}
verify: fastctl diagnose --rule FS0403 --web-config web.config must end without a finding.

references:
  - title: >-
      Debugging WSS Components: SafeMode CallStack="true", customErrors mode="Off" and compilation debug="true" "enable
      debugging support and error messages that contain stack traces"
    url: http://portal-management.blogspot.com/2009/05/debugging-wss-components.html

"""##

private let FS0404 = ##"""
schema: fastctl.rule/1
id: FS0404
slug: machine-key-differs
revision: 2
status: stable
title: The web.config files hold no machine key that all servers share
category: configuration
tags: [aspnet, web.config, load-balancing, view-state]
needs: {web_config: required}

check:
  validation_key:
    differs: {element: system.web/machineKey, attribute: validationKey, default: "AutoGenerate,IsolateApps"}
    label: "validationKey differs"
  decryption_key:
    differs: {element: system.web/machineKey, attribute: decryptionKey, default: "AutoGenerate,IsolateApps"}
    label: "decryptionKey differs"
  made_by_server:
    config: {element: system.web/machineKey, where: {validationKey: {equals: [AutoGenerate, "AutoGenerate,IsolateApps"]}}}

verdicts:
  - id: differs
    when: {any: [validation_key, decryption_key]}
    symptoms: [validation_key, decryption_key]
    severity: warning
    confidence: likely
    message: "The web.config files of the servers have different machine keys: behind a load balancer, postbacks can fail at random, unless SharePoint keeps the keys in its configuration database."
  - id: made-by-server
    when: {all: [made_by_server, {not: validation_key}]}
    severity: warning
    confidence: likely
    message: "web.config leaves it to each server to make its own machine key ({made_by_server.at}): behind a load balancer, postbacks can fail at random, unless SharePoint keeps the keys in its configuration database."

explain:
  what: >-
    The web.config files of several servers, given with the servers' names, do not have the same machineKey: the keys
    differ, or each server generates its own.
  why: >-
    With these keys, ASP.NET signs the view state of pages and encrypts its own tickets of forms authentication, which
    SharePoint uses without claims only. A server refuses what a server with another key has signed. "AutoGenerate"
    never works for several servers, because the secret stays on the machine. With version 25H1 of the Subscription
    Edition, and the updates of September 2025 for 2016 and 2019, the Machine Key Rotation Job changes the keys in the
    configuration database and in memory; what web.config says is then not what is in use.
  impact: >-
    A postback that the load balancer sends to another server fails ("Validation of viewstate MAC failed"). With sticky
    sessions, it happens when a server is taken out of service.

fix:
  - step: >-
      See whether the farm has the Machine Key Rotation Job: Get-SPTimerJob | Where DisplayName -like '*Machine Key*' |
      Select DisplayName, LastRunTime, IsDisabled. If it runs, and nobody has failures, leave web.config as it is.
    where: SharePoint Management Shell
    effect: none
    undo: none needed
  - step: >-
      Redeploy the farm's keys with Update-SPMachineKey -WebApplication URL (2016 and later, with updates that have it),
      or copy the machineKey element of one server to all others.
    where: each web front end, the same zone of the same web application; other web applications have their own keys
    effect: the web application restarts; open pages must be loaded again
    undo: restore the previous machineKey elements
verify: >-
  fastctl diagnose --rule FS0404 --web-config SERVER1=FILE1 --web-config SERVER2=FILE2 must end without a finding; the
  keys themselves are never printed.

references:
  - title: >-
      machineKey Element (ASP.NET Settings Schema): "If you need to support configuration across a network of Web
      servers (a Web farm), set this attribute manually"
    url: https://learn.microsoft.com/en-us/previous-versions/dotnet/netframework-3.5/w8h3skw9(v=vs.90)
  - title: >-
      MachineKeySection Class: "The AutoGenerate value does not work for Web farms, because it relies on a
      cryptographically random secret"
    url: https://msdn.microsoft.com/en-us/library/system.web.configuration.machinekeysection(v=vs.85).aspx
  - title: "Update-SPMachineKey: deploys view state decryption and validation keys to servers in the farm"
    url: https://learn.microsoft.com/en-us/powershell/module/sharepoint-server/update-spmachinekey
  - title: "Improved ASP.NET view state security and key management (2016, 2019, Subscription Edition; automatic rotation)"
    url: https://learn.microsoft.com/en-us/sharepoint/security-for-sharepoint-server/improved-asp-net-view-state-security-key-management
  - title: "Stefan Gossner (Microsoft), machine key rotation by the timer job does not change web.config"
    url: https://blog.stefan-gossner.com/2025/10/24/understanding-machine-key-rotation-using-the-new-automatic-sharepoint-timerjob/

"""##

private let FS1002 = ##"""
schema: fastctl.rule/1
id: FS1002
slug: page-exception
revision: 3
status: stable
kind: symptom
title: Requests end with an exception
category: pages
tags: [sharepoint, aspnet, exception]
lead: first-abnormal

select:
  # One exception is reported two or three times. What is left out is no failure of the farm: a redirect that ends the
  # thread, a client that left, a user without rights, a page that is not there.
  exception:
    - event_id: 8nca
      message|contains|none:
        - "System.Threading.ThreadAbortException"
        - "System.Threading.Thread.AbortInternal("
        - "0x800703E3"
        - "0x800704CD"
        - "0x80072746"
        - "System.Web.Hosting.IIS7WorkerRequest.RaiseCommunicationError("
        - "Microsoft.SharePoint.Utilities.SPUtility.HandleAccessDenied("
        - "Microsoft.SharePoint.SPGlobal.HandleUnauthorizedAccessException("
        - "0x80070005"
        - "Error=Access denied."
      message|re|none: '(?:The file ''[^'']*\.(?:aspx|ashx|asmx|svc|ico)'' does not exist|''[^'']*\.(?:aspx|ashx|asmx|svc|ico)''[^'']*System\.Web\.UI\.Util\.CheckVirtualFileExists\()'
      capture: "when access {page}, Error="
    - event_id: tkau
      message|contains|none:
        - "System.Threading.ThreadAbortException"
        - "System.Threading.Thread.AbortInternal("
        - "0x800703E3"
        - "0x800704CD"
        - "0x80072746"
        - "System.Web.Hosting.IIS7WorkerRequest.RaiseCommunicationError("
        - "Microsoft.SharePoint.Utilities.SPUtility.HandleAccessDenied("
        - "Microsoft.SharePoint.SPGlobal.HandleUnauthorizedAccessException("
        - "0x80070005"
        - "Error=Access denied."
      message|re|none: '(?:The file ''[^'']*\.(?:aspx|ashx|asmx|svc|ico)'' does not exist|''[^'']*\.(?:aspx|ashx|asmx|svc|ico)''[^'']*System\.Web\.UI\.Util\.CheckVirtualFileExists\()'
      capture: ["---> {exception}: {text}   ", "{exception}: {text}   "]
    - event_id: ajlz0
      message|contains|none:
        - "System.Threading.ThreadAbortException"
        - "System.Threading.Thread.AbortInternal("
        - "0x800703E3"
        - "0x800704CD"
        - "0x80072746"
        - "System.Web.Hosting.IIS7WorkerRequest.RaiseCommunicationError("
        - "Microsoft.SharePoint.Utilities.SPUtility.HandleAccessDenied("
        - "Microsoft.SharePoint.SPGlobal.HandleUnauthorizedAccessException("
        - "0x80070005"
        - "Error=Access denied."
      message|re|none: '(?:The file ''[^'']*\.(?:aspx|ashx|asmx|svc|ico)'' does not exist|''[^'']*\.(?:aspx|ashx|asmx|svc|ico)''[^'']*System\.Web\.UI\.Util\.CheckVirtualFileExists\()'
      capture: "---> {exception}: {text}   "
  repeated: # has the message only
    event_id: "6616"
    category: Runtime

check:
  failed:
    count: {of: exception, distinct: request, gte: 1}
    label: "{count} request(s) failed with an exception"
  named:
    count: {of: exception, distinct: exception, gte: 1}
    label: "{count} type(s) of exception, the first {exception}"
  critical:
    count: {of: repeated, gte: 1}
    label: "the exception was logged as critical {count} time(s)"

verdicts:
  - id: exception
    when: failed
    symptoms: [failed, named, critical]
    severity: warning
    confidence: likely
    message: "{failed.count} request(s) failed with an exception; the first: {exception|type not logged} ({text|see the evidence}); the first page: {page|not logged}."

explain:
  what: >-
    An exception reached the end of a request; the user usually saw an error page. SharePoint reports it up to four
    times: as 8nca with the page, tkau with the exception, ajlz0 with all inner exceptions and sometimes 6616; here it
    counts once. Requests that ended because of a redirect, a client that left, missing rights or a page that does not
    exist do not count.
  why: >-
    The failed page is the result, not the cause. The cause is usually named by the first row of the request at
    Monitorable or worse, which comes first in the evidence, or by the innermost exception and its first stack frame. No
    more specific rule knows this exception, so this is a warning.
  impact: Users may get "Sorry, something went wrong" instead of their page.

fix:
  - step: >-
      Read the first row of the evidence, then the innermost exception and the first frame that is neither System nor
      Microsoft; such a frame shows whose component fails.
    where: this report
    effect: none
    undo: none needed
  - step: "See the whole request from its beginning: fastctl logs trace CORRELATION LOGS; a row without a correlation has the rows of its thread before it."
    where: the logs of all servers
    effect: none
    undo: none needed
  - step: >-
      Before anything is changed, see whom it concerns: one user or one item points to their rights or data, one server
      to that server, all of them since a certain time to what was changed then.
    where: this report, and the requests of the same page that did not fail
    effect: none
    undo: none needed
  - step: "If the first frame that is not System's or Microsoft's belongs to a solution, see whether it is deployed everywhere, and give exception and frames to whoever maintains it: Get-SPSolution | Select Name, Deployed, DeployedServers, LastOperationResult."
    where: SharePoint Management Shell
    effect: none
    undo: none needed
verify: Open the page again as the same user, unless the request changed something; fastctl diagnose --rule FS1002 --since TIME-OF-THE-CHANGE LOGS must find nothing.

references:
  - title: >-
      "Requested registry access is not allowed" error: published rows 8nca, 6616 (Critical, Runtime) and ajlz0 "Getting
      Error Message for Exception" of one request
    url: https://github.com/MicrosoftDocs/OfficeDocs-Support
  - title: "Records Center, Generate a file plan report: a published row tkau with exception and stack"
    url: https://github.com/TheSharePointFarm/thesharepointfarm.github.io/blob/HEAD/_posts/2013-05-21-records-center-generate-a-file-plan-report-link-produces-an-error.md

"""##

private let FS1003 = ##"""
schema: fastctl.rule/1
id: FS1003
slug: claim-cannot-be-decoded
revision: 2
status: stable
title: A claim cannot be decoded
category: authentication
tags: [sharepoint, claims, fips, impersonation, encodedValue, blank page]
supersedes: [FS1002]

select:
  # The frame is never translated; some pastes have lost the word SharePoint in it.
  not_decoded:
    - event_id: 8nca
      message|contains: ".SPClaimEncodingManager.DecodeClaimFromFormsSuffix("
      capture: "when access {page}, Error="
    - level|gte: High
      message|contains: ".SPClaimEncodingManager.DecodeClaimFromFormsSuffix("

check:
  failed:
    count: {of: not_decoded, distinct: request, gte: 1}
    label: "{count} request(s) in which a claim could not be decoded"

verdicts:
  - id: claim-not-decoded
    when: failed
    symptoms: [failed]
    severity: error
    confidence: likely
    message: "A claim could not be decoded (page {page|not logged}), mostly the one that names the user of the request, which then fails; a missing user right, FIPS or a sign-out with two providers are known causes."

explain:
  what: SharePoint decodes the claim that names the user, mostly at the beginning of a request, and could not. It did not accept the text as a claim (encodedValue), and mostly the request ends with that exception.
  why: "Three causes are known, and the row does not tell them apart: the group IIS_IUSRS lacks the right Impersonate a client after authentication; the policy for FIPS algorithms is on, which SharePoint does not support; or the user signed out of a web application with several providers and is neither here nor there."
  impact: Mostly, users see a blank page or "Sorry, something went wrong", often without a correlation ID.

fix:
  - step: "See whether FIPS is on: Get-ItemProperty HKLM:\\SYSTEM\\CurrentControlSet\\Control\\Lsa\\FipsAlgorithmPolicy; Enabled must be 0."
    where: each web server
    effect: none
    undo: none needed
  - step: "See who has the right: secedit /export /cfg FILE /areas USER_RIGHTS, line SeImpersonatePrivilege; IIS_IUSRS (S-1-5-32-568) must be there."
    where: each web server
    effect: FILE is written; nothing else changes
    undo: delete FILE
  - step: Turn the FIPS policy off, after whoever set it has agreed, or give IIS_IUSRS the right, whichever differs; then restart IIS.
    where: the policies of the servers (secpol.msc or a group policy)
    effect: iisreset ends all running requests; the FIPS policy is for all programs of the server, and a group policy sets it again
    undo: set the former value, restart IIS
  - step: If only users who signed out are affected, let them use Sign in as a different user, and close the browser.
    where: the user's browser
    effect: none
    undo: none needed
verify: "Open the page again, then run: fastctl diagnose --rule FS1003 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "Microsoft, Blank screen when you log on to sites (8nca, encodedValue, FIPS)"
    url: "https://github.com/MicrosoftDocs/OfficeDocs-Support/blob/36878e0e10/SharePoint/SharePointServer/sites/blank-screen-when-you-log-on-sites.md"
  - title: "Microsoft, Something went wrong when you access a site (IIS_IUSRS, Impersonate a client after authentication)"
    url: "https://github.com/MicrosoftDocs/OfficeDocs-Support/blob/36878e0e10/SharePoint/SharePointServer/sites/something-went-wrong-when-access-site.md"
  - title: "Microsoft, System.ArgumentException exception when you sign out of a web application"
    url: "https://github.com/MicrosoftDocs/OfficeDocs-Support/blob/36878e0e10/SharePoint/SharePointServer/apps/system.argumentexception-exception-when-sign-out-of-web-application.md"

"""##

private let FS1004 = ##"""
schema: fastctl.rule/1
id: FS1004
slug: web-part-not-safe
revision: 1
status: stable
title: A web part's type or assembly is not found, or not registered as safe
category: pages
tags: [sharepoint, web part, safe control, solution, web.config]
supersedes: [FS1002]

select:
  # The words of SharePoint in its three forms; under which event they come varies.
  unsafe:
    - level|gte: High
      message|contains: ["is not registered as safe", "is not registered on this site as safe"]
      capture: ["The type {type} could not be found or it is not", "The type {type} is not registered as safe"]
    - event_id: 8nca
      message|contains: ["is not registered as safe", "is not registered on this site as safe"]
      capture: ["The type {type} could not be found or it is not", "The type {type} is not registered as safe"]
  assembly: # an entry of SafeControls names an assembly that is not there
    event_id: "6611"

check:
  unsafe:
    count: {of: unsafe, gte: 1}
    label: "{count} time(s) a control was not shown because it is not registered as safe"
  assembly:
    count: {of: assembly, gte: 1}
    label: "{count} time(s) an assembly of SafeControls could not be loaded (6611)"

verdicts:
  - id: assembly-missing
    when: assembly
    symptoms: [unsafe, assembly]
    severity: warning
    confidence: likely
    message: "SharePoint could not load an assembly that SafeControls names; web parts from it, if a page has any, are not shown ({type|none is named})."
  - id: not-registered
    when: unsafe
    symptoms: [unsafe]
    severity: warning
    confidence: likely
    message: "SharePoint refuses {type|a type that is not named}: it did not find the type, or no SafeControl entry that allows it. Mostly its solution is not deployed here or is of another version, or web.config lacks the entry."

explain:
  what: SharePoint shows only controls whose assembly and type are listed in SafeControls of web.config, and refused one, or could not load an assembly of the list.
  why: The solution that brings the web part was not deployed to this web application or this server, its version has changed, or web.config was replaced by one without the entry. After a migration, pages often still name web parts of solutions that were left behind. The sentence is recognized in English.
  impact: Users see an error in place of the web part; the rest of the page works, except where the control is part of the page itself.

fix:
  - step: "See which solutions are deployed where: Get-SPSolution | Select Name, Deployed, DeployedWebApplications, LastOperationResult."
    where: SharePoint Management Shell
    effect: none
    undo: none needed
  - step: "Look for the entry: SafeControls/SafeControl with the Assembly and Namespace of {type|the type}; compare with a server on which it works."
    where: web.config of the web application on each server
    effect: none
    undo: none needed
  - step: Deploy the solution again to the web application (Install-SPSolution NAME -WebApplication URL -GACDeployment -Force), or remove the web part from the page (add ?contents=1 to its address).
    where: SharePoint Management Shell, or the page
    effect: application pools are recycled on all servers; what the web part was set to is lost when it is removed
    undo: "deploy the former version; if it was not deployed there before: Uninstall-SPSolution NAME -WebApplication URL; add the web part again"
verify: "Open the page again, then run: fastctl diagnose --rule FS1004 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "William van Strien, Difficult to derive the type name of error-causing web parts (\"The type could not be found or it is not registered as safe\")"
    url: "https://williamvanstrien.blogspot.com/2009/07/difficult-upto-impossible-to-derive.html"
  - title: "System Center Core, Failed to load safe control assembly path (event 6611)"
    url: "http://systemcentercore.com/?GetElement=Microsoft.Windows.SharePoint.Services.3.0.Failed_to_load_safe_control_assembly_path&Type=Rule&ManagementPack=Microsoft.Windows.SharePoint.Services.3.0&Version=6.0.6542.0"
  - title: "The type is not registered as safe (\"A Web Part or Web Form Control on this Page cannot be displayed or imported\")"
    url: "http://www.ukoom.com/the-type-is-not-registered-as-safe.htm"

"""##

private let FS1006 = ##"""
schema: fastctl.rule/1
id: FS1006
slug: page-cannot-be-compiled
revision: 1
status: stable
title: The compiler cannot write its output (CS0016)
category: pages
tags: [sharepoint, aspnet, cs0016, temporary files, compilation]
supersedes: [FS1002]

select:
  # CS0016 is the compiler's number for a file that cannot be written.
  not_written:
    - level|gte: High
      message|contains|all: ["error CS0016", "Temporary ASP.NET Files"]
      capture: ["template file {control} failed", "-- '{reason}'"]
    - event_id: 8nca
      message|contains: "CS0016"
      capture: "-- '{reason}'"

check:
  failed:
    count: {of: not_written, gte: 1}
    label: "{count} time(s) the compiler could not write its output"

verdicts:
  - id: output-not-written
    when: failed
    symptoms: [failed]
    severity: error
    confidence: likely
    message: "{control|A page or control} is not compiled: the compiler cannot write its output ({reason|reason not logged}). Mostly the temporary folder of the application pool's account is missing or not writable, or another program holds the file."

explain:
  what: ASP.NET compiles pages and controls when they are first used, and the compiler could not write the result (CS0016).
  why: The compiler needs the folder of temporary files of ASP.NET and the TEMP folder in the profile of the application pool's account. If the profile was deleted or never completely created, TEMP names a folder that is not there; sometimes the account has no right to write there, or antivirus software holds the file. The text between quotes in the row is the reason that Windows gave.
  impact: Pages with that control show an error, or the control is missing, until it can be compiled.

fix:
  - step: "See the folders of the account: Get-CimInstance Win32_UserProfile | Where SID -eq SID, and whether AppData\\Local\\Temp is there."
    where: the server that wrote the row
    effect: none
    undo: none needed
  - step: Create the missing TEMP folder and give the account the right to modify it; then recycle the application pool.
    where: the server that wrote the row
    effect: requests of the pool wait while it starts
    undo: none needed
  - step: If the profile itself is damaged, stop what runs as the account, copy the folder of the profile, and delete the profile in System Properties (Advanced, User Profiles), so that Windows creates it again.
    where: the server that wrote the row
    effect: the account's own certificates, keys and settings on this server are lost; what runs as it stands still
    undo: none; keep the copy
  - step: Exclude the folder Temporary ASP.NET Files from virus scans, as Microsoft recommends for SharePoint.
    where: the server that wrote the row
    effect: files in that folder are not scanned when they are opened
    undo: remove the exclusion
verify: "Open the page again, then run: fastctl diagnose --rule FS1006 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "The SharePoint Farm, SharePoint ASP.NET compilation errors, CS0016 (\"Could not write to output file ... The directory name is invalid\")"
    url: "https://github.com/TheSharePointFarm/thesharepointfarm.github.io/blob/2b88bfe8d8/_posts/2014-07-30-sharepoint-asp-net-compilation-errors-cs0016.md"
  - title: "Microsoft, Folders that may have to be excluded from antivirus scanning in SharePoint"
    url: "https://support.microsoft.com/kb/952167"

"""##

private let FS1010 = ##"""
schema: fastctl.rule/1
id: FS1010
slug: session-state-off
revision: 1
status: stable
title: A page needs ASP.NET's session state and does not get it
category: pages
tags: [sharepoint, aspnet, session state, custom code]
supersedes: [FS1002]

select:
  # The sentence names the setting; the frame is where ASP.NET throws it.
  no_session:
    event_id: [8nca, tkau, ajlz0, "6616"]
    message|contains: ["Session state can only be used when enableSessionState is set to true", "System.Web.UI.Page.get_Session("]

check:
  failed:
    count: {of: no_session, distinct: request, gte: 1}
    label: "{count} request(s) failed for want of session state"

verdicts:
  - id: session-state-off
    when: failed
    symptoms: [failed]
    severity: error
    confidence: likely
    message: "Code on a page asked for the session state of ASP.NET and did not get it; mostly it is off for that page, as it is in SharePoint by default."

explain:
  what: Code on a page used Page.Session, and ASP.NET refused because session state is off for that page.
  why: SharePoint turns the session state of ASP.NET off when it is installed. The service that keeps it, SharePoint Server ASP.NET Session State Service, is started by a command only; besides, the web.config of the web application must allow it. It is not the State Service, which forms and charts use.
  impact: Pages with that code end with an error page.

fix:
  - step: "See whether the service is there: Get-SPSessionStateService; and what the web.config says: pages/@enableSessionState, and the module Session in system.webServer/modules."
    where: SharePoint Management Shell, web.config of the web application
    effect: none
    undo: none needed
  - step: "Start it: Enable-SPSessionStateService -DefaultProvision (one database for the farm), and set enableSessionState to true for pages in web.config; or have the code keep its data elsewhere, which is better."
    where: SharePoint Management Shell, web.config on each server
    effect: the command creates a database and changes web.config on all servers, whose web applications restart; upgrades must find the database later
    undo: Disable-SPSessionStateService, and the former value in web.config
verify: "Open the page again, then run: fastctl diagnose --rule FS1010 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "Mark Arend (Microsoft), Using session state in SharePoint 2010 (off by default, Enable-SPSessionStateService, enableSessionState)"
    url: "https://blogs.msdn.microsoft.com/markarend/2010/05/27/using-session-state-in-sharepoint-2010/"
  - title: "C# Corner, Enable Session State In SharePoint 2019"
    url: "https://www.c-sharpcorner.com/article/enable-session-state-in-sharepoint-2019/"

"""##

private let FS1011 = ##"""
schema: fastctl.rule/1
id: FS1011
slug: session-state-blocks-upgrade
revision: 3
status: stable
title: The session state service fails when it is asked what to change in web.config
category: updates
tags: [sharepoint, upgrade, session state, psconfig]

select:
  failed: # the frame is never translated; under which event it comes varies
    level|gte: High
    message|contains: "SessionStateService.GetSessionStateModification("

check:
  failed:
    count: {of: failed, gte: 1}
    label: "{count} time(s) the session state service failed when it was asked what to change"

verdicts:
  - id: service-without-database
    when: failed
    symptoms: [failed]
    severity: error
    confidence: likely
    message: "The session state service failed when it was asked what to change in web.config, and what asked, mostly an upgrade, stops there. Mostly the service is on but has no database."

explain:
  what: The session state service was asked what to change in web.config files, as upgrades, the configuration wizard and Install-SPService ask it, and it failed.
  why: The service is recorded as on in the farm, but its database is gone or was never created, so that there is no connection to write.
  impact: What asked fails. If that was the configuration wizard, the farm stays in an upgrade that is not complete.

fix:
  - step: "See what the farm knows: Get-SPSessionStateService; Get-SPDatabase | Where Type -like '*Session*'. The service is on (SessionStateEnabled) and names no database, if that is the reason."
    where: SharePoint Management Shell
    effect: none
    undo: none needed
  - step: "Turn the service off (Disable-SPSessionStateService), run the configuration wizard again, and turn it on afterwards if something needs it (Enable-SPSessionStateService -DefaultProvision)."
    where: SharePoint Management Shell, then the server on which it failed
    effect: web.config of all web applications changes, and they restart; pages that use session state fail until it is on again; what was in the session is lost
    undo: Enable-SPSessionStateService -DatabaseName NAME
verify: "Run the configuration wizard, then: fastctl diagnose --rule FS1011 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "The SharePoint Farm, Session state causing upgrade failure (2016-11-29; NullReferenceException in SessionStateService.GetSessionStateModification)"
    url: "https://thesharepointfarm.com/2016/11/session-state-causing-upgrade-failure/"
  - title: "Mark Arend (Microsoft), Using session state in SharePoint 2010 (the service and its database)"
    url: "https://blogs.msdn.microsoft.com/markarend/2010/05/27/using-session-state-in-sharepoint-2010/"

"""##

private let FS1015 = ##"""
schema: fastctl.rule/1
id: FS1015
slug: registry-access-denied
revision: 1
status: stable
title: A process is refused access to a registry key
category: services
tags: [sharepoint, registry, WSS_WPG, WSS_ADMIN_WPG, permissions]
supersedes: [FS1002]

select:
  denied:
    - level|gte: High
      message|contains|all: ["SecurityException", "Microsoft.Win32.RegistryKey.OpenSubKey("]
    - level|gte: High
      message|contains: "Requested registry access is not allowed"
    - event_id: 8nca
      message|contains: ["Requested registry access is not allowed", "Microsoft.Win32.RegistryKey.OpenSubKey("]

check:
  denied:
    count: {of: denied, distinct: request, gte: 1}
    label: "{count} request(s) or job(s) were refused access to the registry"
  often:
    count: {of: denied, distinct: request, gte: 3}

verdicts:
  - id: registry-denied-often
    when: often
    symptoms: [denied]
    severity: error
    confidence: likely
    message: "A process is refused access to a registry key again and again. Mostly its account has no right to it; accounts that SharePoint manages get the right from WSS_WPG or WSS_ADMIN_WPG."
  - id: registry-denied
    when: denied
    symptoms: [denied]
    severity: warning
    confidence: likely
    message: "A process was refused access to a registry key. Mostly its account, or the user in whose name it acted, has no right to it."

explain:
  what: Code on a SharePoint server opened a key of the registry, and Windows refused it to the account.
  why: The account of the application pool was not set in Central Administration, so that SharePoint did not put it into the local groups WSS_WPG and WSS_ADMIN_WPG; or somebody changed the permissions of the keys below Office Server and Web Server Extensions; or other code reads a key that only administrators may read. The frames after OpenSubKey tell who asked. The text is recognized in English, other languages by exception and frame.
  impact: What needs the key fails, often whole pages, because a class could not be set up (TypeInitializationException).

fix:
  - step: "See whose account it is and which groups it has: Get-SPManagedAccount; Get-LocalGroupMember WSS_WPG; Get-LocalGroupMember WSS_ADMIN_WPG."
    where: the server that wrote the row
    effect: none
    undo: none needed
  - step: "Read the permissions of the keys, also of those below, which may have their own: Get-Acl 'HKLM:\\SOFTWARE\\Microsoft\\Office Server', 'HKLM:\\SOFTWARE\\Microsoft\\Office Server\\*.0'; Get-Acl 'HKLM:\\SOFTWARE\\Microsoft\\Shared Tools\\Web Server Extensions\\*\\Secure', 'HKLM:\\SOFTWARE\\Microsoft\\Shared Tools\\Web Server Extensions\\*\\Secure\\FarmAdmin'; compare with another server."
    where: the server that wrote the row, and another one
    effect: none
    undo: none needed
  - step: Set the account in Central Administration (Configure service accounts), or run psconfig -cmd secureresources, which restores groups and permissions.
    where: Central Administration, or the server that wrote the row
    effect: application pools are recycled; psconfig sets groups and permissions of registry and folders back to SharePoint's own, also those that somebody changed on purpose
    undo: set the former account; what psconfig sets has no undo
verify: "Repeat what failed, then run: fastctl diagnose --rule FS1015 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "Microsoft, \"Requested registry access is not allowed\" error: published rows 8nca, 6616 and ajlz0"
    url: "https://github.com/MicrosoftDocs/OfficeDocs-Support"
  - title: "Microsoft, Account permissions and security settings (registry keys of WSS_ADMIN_WPG and WSS_WPG)"
    url: "http://technet.microsoft.com/en-us/library/cc678863.aspx"
  - title: "The SharePoint Farm, There was an error during the callback and the PeoplePicker (the key Secure cannot be read)"
    url: "https://github.com/TheSharePointFarm/thesharepointfarm.github.io/blob/63a78230f5a34fc312376c769ea5ca151cacfea6/_posts/2011-04-01-there-was-an-error-during-the-callback-and-the-peoplepicker.md"

"""##

private let FS1017 = ##"""
schema: fastctl.rule/1
id: FS1017
slug: registry-hive-unloaded
revision: 2
status: stable
title: A process uses a registry key that is marked for deletion
category: services
tags: [sharepoint, 800703fa, registry, user profile, com]
supersedes: [FS1002]

select:
  # 0x800703FA is ERROR_KEY_DELETED; .NET writes it with and without 0x.
  unloaded:
    - level|gte: High
      message|contains: "800703fa"
    - event_id: 8nca
      message|contains: "800703fa"

check:
  unloaded:
    count: {of: unloaded, gte: 1}
    label: "{count} time(s) a process used a registry key that is marked for deletion"

verdicts:
  - id: hive-unloaded
    when: unloaded
    symptoms: [unloaded]
    severity: error
    confidence: likely
    message: "A process used a registry key that is marked for deletion (0x800703FA). Mostly Windows unloaded the registry of its account, as after somebody signed in on the server as that account and signed out again."

explain:
  what: A process opened a registry key that is marked for deletion, for instance to create a COM class. Mostly the key belongs to the profile of its account, which Windows unloaded.
  why: Windows unloads the registry of a user's profile when the user signs out, even if a service runs as the same account. So it mostly happens when somebody signs in on the server as the account of an application pool or of the timer service, or starts a program as that account, and leaves. From then on the process fails until it is started again.
  impact: Mostly, requests and jobs of that process fail until it is recycled, often in strange places (profiles, Excel Services, PowerPivot).

fix:
  - step: "Recycle the process that wrote the rows: its application pool in IIS, or the SharePoint timer service."
    where: the server that wrote the row
    effect: requests of the pool wait while it starts
    undo: none needed
  - step: Do not sign in on the server as a service account; deny it the right to log on locally and through remote desktop.
    where: the policies of the servers
    effect: people who used the account for their work need one of their own; in 2010 and 2013, profile synchronization needs the farm account to log on locally on its server
    undo: remove the account from the policy
  - step: "If that is not possible, set the policy Do not forcefully unload the users registry at user logoff (Computer Configuration, System, User Profiles)."
    where: the policies of the servers
    effect: registries of users stay loaded while a process uses them
    undo: set the policy to not configured
verify: "Repeat what failed, then run: fastctl diagnose --rule FS1017 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "Microsoft, \"800703fa Illegal operation attempted on a registry key\" error (rows of ULS, cause and policy)"
    url: "https://support.microsoft.com/en-gb/help/3114011/800703fa-illegal-operation-attempted-on-a-registry-key-that-has-been-m"
  - title: "Microsoft, Retrieving the COM class factory for component ... failed due to the following error: 800703fa (Excel Services, PowerPivot)"
    url: "https://github.com/MicrosoftDocs/OfficeDocs-Support/blob/36878e0e10/SharePoint/SharePointExperts/administration/retrieving-com-class-factory-for-component-failed.md"

"""##

private let FS1018 = ##"""
schema: fastctl.rule/1
id: FS1018
slug: mixed-builds
revision: 4
status: stable
title: Microsoft code does not find a method, or cannot be executed
category: updates
tags: [sharepoint, patching]
needs: {uls: required, farm: optional}
supersedes: [FS1002]

select:
  missing_method: # the method's signature in quotes, and directly after it a stack frame of Microsoft
    - event_id: [8nca, ajlz0]
      message|re: '(?:MissingMethodException: |Error=)[^''"]*[''"][^''"]* Microsoft\.[^''"]*\([^''"]*[''"]\.?\s+\S+\s+Microsoft\.'
      capture: " Microsoft.{method}("
    - level|gte: Monitorable
      message|re: 'MissingMethodException: [^''"]*[''"][^''"]* Microsoft\.[^''"]*\([^''"]*[''"]\.?\s+\S+\s+Microsoft\.'
      capture: " Microsoft.{method}("
  stub: # what the edition without Microsoft.Office.Server may hold as an empty shell
    - event_id: [8nca, ajlz0]
      message|re: '(?:InvalidProgramException: [^.]*|Error=Common Language Runtime detected an invalid program)\.\s+\S+\s+Microsoft\.Office\.Server\.'
    - level|gte: Monitorable
      message|re: 'InvalidProgramException: [^.]*\.\s+\S+\s+Microsoft\.Office\.Server\.'
  invalid_program:
    - event_id: [8nca, ajlz0]
      message|re: '(?:InvalidProgramException: [^.]*|Error=Common Language Runtime detected an invalid program)\.\s+\S+\s+Microsoft\.'
      capture: " Microsoft.{damaged}("
    - level|gte: Monitorable
      message|re: 'InvalidProgramException: [^.]*\.\s+\S+\s+Microsoft\.'
      capture: " Microsoft.{damaged}("

check:
  missing:
    count: {of: missing_method, distinct: request, gte: 1}
    label: "{count} request(s) or job(s) called Microsoft.{method}, which was not found"
  damaged:
    count: {of: invalid_program, distinct: request, gte: 1}
    label: "{count} request(s) or job(s) met an invalid program in Microsoft.{damaged}"
  stub:
    count: {of: stub, distinct: request, gte: 1}
    label: "{count} request(s) or job(s) met it in Microsoft.Office.Server, which SharePoint Foundation does not have whole"
  foundation:
    farm: {edition: foundation}
  mixed:
    farm: {builds: differ}

verdicts:
  - id: mixed-builds
    when: {all: [missing, mixed]}
    symptoms: [missing, damaged]
    severity: error
    confidence: certain
    message: "Microsoft's code calls Microsoft.{method}, which the process does not find, and the servers of the farm have different builds."
  - id: missing-method
    when: missing
    symptoms: [missing, damaged]
    severity: warning
    confidence: likely
    message: "Microsoft's code calls Microsoft.{method}, which the process does not find. Mostly files of different builds are on the server, or the process still has an older file."
  - id: stub
    when: {all: [stub, foundation]}
    symptoms: [damaged, stub]
    severity: warning
    confidence: likely
    message: "Microsoft.{damaged} cannot be executed; the farm is SharePoint Foundation, where it may be only a stub."
  - id: edition
    when: {all: [stub, {unknown: foundation}]}
    symptoms: [damaged, stub]
    severity: warning
    confidence: likely
    message: "Microsoft.{damaged} cannot be executed; on SharePoint Foundation it may be only a stub, on other editions a file may be damaged."
  - id: invalid-program
    when: damaged
    symptoms: [damaged]
    severity: warning
    confidence: likely
    message: "Microsoft.{damaged} cannot be executed; a damaged or faulty file of an update is the usual cause."

explain:
  what: >-
    Microsoft code called a Microsoft method that its assembly does not have (MissingMethodException), or a Microsoft
    assembly has methods without a valid body (InvalidProgramException).
  why: >-
    Most often the assemblies on this server do not belong to one build. An update was installed only in part, not on
    all servers, or without the configuration wizard; or the update itself is faulty, as in December 2012 and October
    2017. The log does not prove it, so this is a warning. SharePoint Foundation has parts of Microsoft.Office.Server
    only as stubs, which fail in the same way although nothing is damaged. Row 8nca of a damaged program is recognized
    only by its English text, other rows by exception type and frame.
  impact: What needs the method fails on this server.

fix:
  - step: >-
      Find the edition: (Get-SPFarm).Products and Get-SPProduct. On SharePoint Foundation, see whether a later update
      repairs it: in SharePoint Foundation 2013, that of October 2017 emptied methods that SharePoint's own pages call,
      and that of November 2017 (KB4011256) brought them back. Code that calls Microsoft.Office.Server has no place there.
    where: SharePoint Management Shell
    when: edition
  - step: >-
      If SharePoint's own page calls it, install a later update; in SharePoint Foundation 2013, that of October 2017
      emptied methods, and that of November 2017 (KB4011256) brought them back. If it is custom code, remove the page,
      feature or service that calls Microsoft.Office.Server.
    where: the site that the request is for
    when: stub
  - step: >-
      Compare the version and the checksum of the assembly that the first frame names with the same file on another
      server: (Get-Item FILE).VersionInfo and Get-FileHash FILE. If they are the same, the builds are not mixed.
    where: this server and one on which the same action works
  - step: >-
      Compare the builds of all servers and products (Central Administration, Manage servers and patch status), and the
      day of the first such row with the day of the last update.
    where: Central Administration
  - step: >-
      If files or builds differ, install the whole cumulative update, including language packs, and run the
      configuration wizard.
    where: all servers of the farm
    effect: the farm is down while the wizard runs
    undo: an update cannot be removed; have a backup of the farm and its databases
  - step: If all servers have the same build, check whether a later update names this regression, and install that one.
    where: all servers of the farm
verify: >-
  Repeat what failed; fastctl diagnose --rule FS1018 --since TIME-OF-THE-UPDATE LOGS must find nothing.

references:
  - title: >-
      December 2012 patch for SharePoint 2013 breaks MySite site creation: "System.MissingMethodException: Method not
      found: 'Microsoft.SharePoint.SPSite Microsoft.SharePoint.SPSite.SelfServiceCreateSite("
    url: https://github.com/TheSharePointFarm/thesharepointfarm.github.io/blob/HEAD/_posts/2013-01-03-december-2012-patch-for-sharepoint-2013-breaks-mysite-site-creation.md
  - title: >-
      October 2017 CU site creation error for SharePoint Foundation 2013: "Error=Common Language Runtime detected an
      invalid program.   at Microsoft.Office.Server.UserProfiles.ProfileLoader.GetProfileLoader()"
    url: https://github.com/TheSharePointFarm/thesharepointfarm.github.io
  - title: >-
      A lesson learned from a SharePoint patch installation: MissingMethodException after one product of the farm was
      patched
    url: http://benhuang.blogspot.com/2012/03/lesson-learned-from-sharepoint-patch.html

"""##

private let FS1020 = ##"""
schema: fastctl.rule/1
id: FS1020
slug: view-state-refused
revision: 1
status: stable
title: Forms are refused because of their view state
category: pages
tags: [sharepoint, aspnet, view state, machine key, load balancing]
supersedes: [FS1002]

select:
  refused:
    event_id: [8nca, tkau, ajlz0, "6616"]
    message|contains: ["System.Web.UI.ViewStateException", "Validation of viewstate MAC failed"]

check:
  refused:
    count: {of: refused, distinct: request, gte: 1}
    label: "{count} form(s) were refused"
  often:
    count: {of: refused, distinct: request, gte: 10}

verdicts:
  - id: refused-often
    when: often
    symptoms: [refused]
    severity: error
    confidence: likely
    message: "Forms are refused again and again because of their view state. Mostly it was signed with another machine key, was changed or cut on the way, or is forged."
  - id: refused
    when: refused
    symptoms: [refused]
    severity: warning
    confidence: likely
    message: "A form was refused because of its view state. Mostly the page was made by a server with another machine key or before a restart, or its view state was changed, cut or forged."

explain:
  what: A page was posted back, and ASP.NET could not verify the signature of its view state.
  why: The page was made by a server that has another machine key, which a load balancer makes visible; or it was opened before the key was changed; or it was shortened on its way; or an attacker sends forged view state. Single rows come from pages that were left open over an update, or over a change of keys by the Machine Key Rotation Job, which runs weekly in farms with the updates of September 2025. The row does not tell these apart. FS0404 compares the keys if the web.config files of the servers are given.
  impact: The user gets an error page and has to open the form again; what was typed is lost.

fix:
  - step: "Compare the keys of all servers: fastctl diagnose --rule FS0404 --web-config SERVER1=FILE1 --web-config SERVER2=FILE2."
    where: the web.config of the web application on each web server
    effect: none
    undo: none needed
  - step: "See where the requests come from (log of IIS): forged view state comes from few addresses, often with FS1105."
    where: the logs of IIS
    effect: none
    undo: none needed
  - step: "If the keys differ, deploy those of the farm again: Update-SPMachineKey -WebApplication URL (2016 and later, with updates that have it), or copy the machineKey element. Where the Machine Key Rotation Job runs, web.config does not hold the keys in use; see whether the job and the timer service run on all servers."
    where: each web server
    effect: the web application restarts; open forms are lost
    undo: restore the former elements
    when: refused-often
verify: "Post a form through the load balancer several times, then run: fastctl diagnose --rule FS1020 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "Microsoft, Resolving view state message authentication code (MAC) errors (KB 2915218)"
    url: "https://support.microsoft.com/help/2915218/resolving-view-state-message-authentication-code-mac-errors"
  - title: "Project Insight, Validation of viewstate MAC failed (text of the exception; web farm)"
    url: "https://www.projectinsight.net/support/kb/validation-of-viewstate-mac-failed"
  - title: "Rich Crane (Microsoft), Set enableViewStateMac or specify a key when using a web farm"
    url: "https://docs.microsoft.com/en-us/archive/blogs/rich_crane/set-enableviewstatemac-to-false-or-specify-when-using-a-web-farm-in-a-stateless-load-balance"

"""##

private let FS1021 = ##"""
schema: fastctl.rule/1
id: FS1021
slug: form-digest-refused
revision: 1
status: stable
title: Changes are refused because the security validation of the page is not valid
category: pages
tags: [sharepoint, form digest, security validation, custom code]
supersedes: [FS1002]

select:
  # 0x8102006d (-2130575251) is SharePoint's number for it.
  refused:
    - event_id: [8nca, tkau, ajlz0, "6616"]
      message|contains: ["The security validation for this page is invalid", "0x8102006d", "-2130575251"]
    - level|gte: High
      message|contains: "0x8102006d"

check:
  refused:
    count: {of: refused, distinct: request, gte: 1}
    label: "{count} change(s) were refused"
  often:
    count: {of: refused, distinct: request, gte: 10}

verdicts:
  - id: refused-often
    when: often
    symptoms: [refused]
    severity: error
    confidence: likely
    message: "Changes are refused again and again because the security validation of the page is not valid (0x8102006d). Mostly a page or script sends no form digest, a digest expires too soon, or code changes something while a page is only read."
  - id: refused
    when: refused
    symptoms: [refused]
    severity: warning
    confidence: likely
    message: "A change was refused because the security validation of the page was not valid (0x8102006d). Mostly the page was open for longer than half an hour, or a page or script sent no form digest."

explain:
  what: Each page carries a form digest, which SharePoint demands back with every change; it was missing, wrong or too old.
  why: The page was open for longer than the time that the web application allows (30 minutes by default), the user changed in between, a custom page or script sends no digest, or code changes something while a page is only opened (GET). The last two happen each time, the first now and then.
  impact: The change is not saved; the user is told to go back and try again.

fix:
  - step: "See which page and code it is: fastctl logs trace CORRELATION; the first frame that is not Microsoft's names the code."
    where: the logs
    effect: none
    undo: none needed
  - step: "Let the code send the digest (SharePoint:FormDigest on the page, X-RequestDigest in scripts, SPUtility.ValidateFormDigest() before elevated code) instead of AllowUnsafeUpdates in a GET."
    where: the custom page or code
    effect: none
    undo: deploy the former version
    when: refused-often
  - step: "See the time that the web application allows: (Get-SPWebApplication URL).FormDigestSettings; raise Timeout if users work longer on one page."
    where: SharePoint Management Shell
    effect: a digest stays valid longer
    undo: set the former value and call Update()
verify: "Make the change again, then run: fastctl diagnose --rule FS1021 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "CRSW, How to correct: The security validation for this page is invalid (form digest, ValidateFormDigest)"
    url: "https://blog.crsw.com/tag/security/"
  - title: "How to fix security validation errors in a SharePoint page (the digest is for a user, a site and a time)"
    url: "http://sharepointserver-2007.blogspot.com/2008/05/how-to-fix-security-validation-errors.html"
  - title: "The SharePoint Farm, Security validation issue in Forms Server with June CU"
    url: "https://github.com/TheSharePointFarm/thesharepointfarm.github.io/blob/be631df7f1d8f606134efa25d79ae5fe49aeaf20/_posts/2011-07-31-security-validation-issue-in-forms-server-with-june-cu.md"

"""##

private let FS1024 = ##"""
schema: fastctl.rule/1
id: FS1024
slug: object-cache-accounts
revision: 1
status: stable
title: The object cache has no account that it can use
category: publishing
tags: [sharepoint, publishing, object cache, super user, super reader]

select:
  super_user:
    - event_id: "7362"
      message|contains: "super user account"
    - category: Publishing Cache
      message|contains: "The super user account utilized by the cache"
  super_reader:
    - event_id: "7362"
      message|contains: "super reader account"
    - category: Publishing Cache
      message|contains: "The super reader account utilized by the cache"
  no_account: # the cache looks up its account and finds nobody
    event_id: 8vzh
    message|contains|all: ["SPWeb.GetUserToken(", "CacheManager..ctor("]

check:
  super_user:
    count: {of: super_user, gte: 1}
    label: "{count} time(s) the super user account was not set or not usable"
  super_reader:
    count: {of: super_reader, gte: 1}
    label: "{count} time(s) the super reader account was not set or not usable"
  no_account:
    count: {of: no_account, distinct: request, gte: 1}
    label: "{count} request(s) got no navigation because the cache got no token for its account"

verdicts:
  - id: account-not-found
    when: no_account
    symptoms: [super_user, super_reader, no_account]
    severity: error
    confidence: likely
    message: "The object cache failed to get a token for its account, and navigation of publishing pages fails with it. Mostly this web application does not know the account that is set, as when the form for claims is used without claims or the reverse."
  - id: both-missing
    when: {all: [super_user, super_reader]}
    symptoms: [super_user, super_reader]
    severity: warning
    confidence: likely
    message: "SharePoint reports that the object cache has no accounts of its own to use (super user and super reader); pages of publishing sites can cost more than they need."
  - id: one-missing
    when: {any: [super_user, super_reader]}
    symptoms: [super_user, super_reader]
    severity: warning
    confidence: likely
    message: "SharePoint reports that an account of the object cache is not set or not usable; pages of publishing sites can cost more than they need."

explain:
  what: The object cache of publishing sites reads as two accounts, the super user and the super reader. SharePoint reports that one is not set (7362), or fails to find it (8vzh).
  why: By default the cache uses the system account and local service, and then much cannot be cached or comes from the wrong view. If an account is set in a form that the web application does not know, such as DOMAIN\user in a web application with claims, where i:0#.w|DOMAIN\user is needed, each page of a publishing site fails to read its navigation.
  impact: Without accounts, pages are slower and what the system account has checked out is shown instead of the published page; with accounts that are not found, users get errors or access denied on publishing sites.

fix:
  - step: "Read what is set: $w = Get-SPWebApplication URL; $w.UseClaimsAuthentication; $w.Properties['portalsuperuseraccount']; $w.Properties['portalsuperreaderaccount']."
    where: SharePoint Management Shell, each web application with publishing sites
    effect: none
    undo: none needed
  - step: "Give two accounts that nobody signs in with the user policies Full Control and Full Read, and set the properties in the form of the web application: i:0#.w|DOMAIN\\user with claims, DOMAIN\\user without; then $w.Update() and iisreset."
    where: SharePoint Management Shell; iisreset on each server
    effect: iisreset ends all running requests; a wrong form makes all publishing pages fail
    undo: set the former values, $w.Update(), iisreset
verify: "Open a publishing page after iisreset, then run: fastctl diagnose --rule FS1024 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "Microsoft, Configure object cache user accounts in SharePoint Server"
    url: "https://learn.microsoft.com/en-us/sharepoint/administration/configure-object-cache-user-accounts"
  - title: "SharePointChick, Resolving \"The super user account utilized by the cache is not configured\""
    url: "http://www.sharepointchick.com/archive/2010/10/06/resolving-the-super-user-account-utilized-by-the-cache-is.aspx"
  - title: "SP Doctor, Object Cache: The super user account utilized by the cache is not configured (and the super reader account)"
    url: "https://www.spdoctor.com/errormessages/Object_Cache._The_super_user_account_utilized_by_the_cache_is_not_configured.html"
  - title: "Salaudeen Rajack, object cache super user and super reader accounts (Event ID 7362)"
    url: "https://salaudeen1.rssing.com/chan-8561500/article242.html"

"""##

private let FS1026 = ##"""
schema: fastctl.rule/1
id: FS1026
slug: security-token-service-fails
revision: 2
status: stable
title: Security tokens are not issued
category: authentication
tags: [sharepoint, claims, sign-in, security token service, iis]

select:
  # Row 8306 quotes the error of the call; each row is of one kind.
  no_service: # IIS answers 503, or nobody answers
    event_id: "8306"
    message|contains: ["(503)", "Server Unavailable", "There was no endpoint listening at", "svc is unavailable"]
  not_activated:
    event_id: "8306"
    message|contains: ["could not be activated", "cannot be activated"]
  timed_out:
    event_id: "8306"
    message|contains: ["has timed out", "TimeoutException"]
  internal: # the service runs and failed; its own rows say why
    event_id: "8306"
    message|contains: "IncludeExceptionDetailInFaults"
  refused: # the service refused the user's token, which is no failure of the service
    event_id: "8306"
    message|contains: "The trusted login provider did not supply"

check:
  no_service:
    count: {of: no_service, gte: 1}
    label: "{count} time(s) the service was unavailable, or nothing listened"
  no_service_often:
    count: {of: no_service, gte: 3, within: 10m}
  not_activated:
    count: {of: not_activated, gte: 1}
    label: "{count} time(s) the service could not be activated"
  not_activated_often:
    count: {of: not_activated, gte: 3, within: 10m}
  timed_out:
    count: {of: timed_out, gte: 1}
    label: "{count} time(s) the call timed out"
  timed_out_often:
    count: {of: timed_out, gte: 3, within: 10m}
  internal:
    count: {of: internal, gte: 1}
    label: "{count} time(s) the service failed inside"
  refused:
    count: {of: refused, gte: 1}
    label: "{count} time(s) the service refused the token of a trusted provider"

verdicts:
  - id: not-running
    when: no_service_often
    symptoms: [no_service, not_activated, timed_out, internal, refused]
    severity: error
    confidence: likely
    message: "Security tokens are not issued, again and again: the token service is unavailable, or nothing listens at its address. Mostly its application pool or the site SharePoint Web Services is stopped on this server, and users cannot sign in there."
  - id: not-activated
    when: not_activated_often
    symptoms: [no_service, not_activated, timed_out, internal, refused]
    severity: error
    confidence: likely
    message: "Security tokens are not issued, again and again: the token service could not be activated. Mostly memory is short (FS1107), or a certificate, an assembly or web.config is wrong; users cannot sign in while that lasts."
  - id: too-slow
    when: timed_out_often
    symptoms: [no_service, timed_out, internal, refused]
    severity: error
    confidence: likely
    message: "Security tokens are not issued in time, again and again: the call timed out. Mostly a claims provider or a directory that the token service asks is slow."
  - id: failed
    when: {any: [no_service, not_activated, timed_out, internal]}
    symptoms: [no_service, not_activated, timed_out, internal, refused]
    severity: warning
    confidence: likely
    message: "Security tokens were not issued now and then; rows of the category Claims Authentication at the same time mostly say why."

explain:
  what: Each server has a Security Token Service of its own. SharePoint asked it for a token and got an error (row 8306).
  why: If IIS answers 503 or nobody listens, the application pool SecurityTokenServiceApplicationPool or the site SharePoint Web Services is usually stopped, often because the password of its account changed. If the service cannot be activated, .NET could not load it; too little free memory (FS1107), a signing certificate that expired or did not reach this server, a missing assembly of a claims provider, a trust level other than Full in the site's .NET settings, or a damaged web.config is known to do that. If it does not answer in time, it waits for a claims provider, a directory, or a list of revoked certificates. The text about IncludeExceptionDetailInFaults says only that the service failed. A token of a trusted provider that is refused is another failure and counts here only as a symptom.
  impact: Users cannot sign in on this server, and service applications cannot be called from it.

fix:
  - step: "Look at the pool and the site: Import-Module WebAdministration; Get-WebAppPoolState SecurityTokenServiceApplicationPool; Get-Website 'SharePoint Web Services'."
    where: the server that wrote the row
    effect: none
    undo: none needed
  - step: "Open http://localhost:32843/SecurityTokenServiceApplication/securitytoken.svc in a browser on the server; the page names the error."
    where: the server that wrote the row
    effect: none
    undo: none needed
  - step: "Start the pool and the site (Start-WebAppPool SecurityTokenServiceApplicationPool); if the pool stops again, correct the password of its account and its right to log on as a batch job."
    where: IIS on that server
    effect: none
    undo: Stop-WebAppPool SecurityTokenServiceApplicationPool
    when: not-running
  - step: "See what .NET and SharePoint say, and how much memory is free: Get-WinEvent -LogName Application -MaxEvents 50; Get-CimInstance Win32_OperatingSystem | Select FreePhysicalMemory; and the certificate: (Get-SPSecurityTokenServiceConfig).LocalLoginProvider.SigningCertificate.NotAfter."
    where: the server that wrote the row
    effect: none
    undo: none needed
    when: not-activated
  - step: "If the .NET Trust Level of SharePoint Web Services or of SecurityTokenServiceApplication is another than Full (internal), set it to that."
    where: IIS on that server
    effect: the application pool is recycled
    undo: set the former level
    when: not-activated
  - step: "See which claims providers are asked (Get-SPClaimProvider), and how long they take: fastctl logs slow LOGS."
    where: SharePoint Management Shell
    effect: none
    undo: none needed
    when: too-slow
verify: "Sign in, then run: fastctl diagnose --rule FS1026 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "Josh Roark (Microsoft), SharePoint: Troubleshooting the Security Token Service (event 8306, IncludeExceptionDetailInFaults, pools and sites)"
    url: "https://joshroark.com/sharepoint-troubleshooting-the-security-token-service-sts/"
  - title: "Microsoft, The Security Token Service is not available (SharePoint Server)"
    url: "https://learn.microsoft.com/en-us/sharepoint/technical-reference/the-security-token-service-is-not-available"
  - title: "LDAPCP #50, LDAPCP and securitytoken.svc timeout"
    url: "https://github.com/Yvand/LDAPCP/issues/50"

"""##

private let FS1028 = ##"""
schema: fastctl.rule/1
id: FS1028
slug: token-of-trusted-provider-refused
revision: 1
status: stable
title: SharePoint does not accept a token of an identity provider or another system
category: authentication
tags: [sharepoint, claims, saml, adfs, entra id, sign-in]
supersedes: [FS1002]

select:
  no_claim: # names the provider and the claim
    event_id: eu2n
    message|contains: "is not sending configured input identity claim type"
    capture: "claim type '{claim}'"
  issuer: # the frame that compares the certificate of the token with those of the trusted issuers
    - level|gte: High
      message|contains|all: ["SecurityTokenException", "IssuerNameRegistry.GetIssuerName("]
      message|contains|none: "SPJsonWebSecurity"
    - event_id: 8nca
      message|contains: "IssuerNameRegistry.GetIssuerName("
      message|contains|none: "SPJsonWebSecurity"
  add_in: # a token of OAuth: an add-in, a workflow or another farm, not a person
    - level|gte: High
      message|contains|all: ["SecurityTokenException", ".GetIssuerName(", "SPJsonWebSecurity"]
    - event_id: 8nca
      message|contains|all: [".GetIssuerName(", "SPJsonWebSecurity"]
  refused:
    event_id: [fo1t, "8306", 8nca, tkau]
    message|contains: ["The trusted login provider did not supply a token accepted by this farm", "SPRequestInfo.ValidateTrustedLoginRequest("]

check:
  no_claim:
    count: {of: no_claim, distinct: request, gte: 1}
    label: "{count} request(s) came with a token without the identity claim"
  issuer:
    count: {of: issuer, distinct: request, gte: 1}
    label: "{count} request(s) came with a token of an issuer that is not trusted"
  issuer_often:
    count: {of: issuer, distinct: request, gte: 3}
  add_in:
    count: {of: add_in, distinct: request, gte: 1}
    label: "{count} request(s) of an add-in, a workflow or another farm came with a token of an issuer that is not trusted"
  refused:
    count: {of: refused, distinct: request, gte: 1}
    label: "{count} request(s) with a token that was refused"
  no_claim_often:
    count: {of: no_claim, distinct: request, gte: 3}

verdicts:
  - id: issuer-not-trusted
    when: issuer_often
    symptoms: [issuer, no_claim, add_in, refused]
    severity: error
    confidence: likely
    message: "Tokens are refused again and again when their issuer is checked. Mostly the certificate that signed them is not one that SharePoint knows, as after the provider's signing certificate changed."
  - id: identity-claim-missing
    when: no_claim_often
    symptoms: [issuer, no_claim, add_in, refused]
    severity: error
    confidence: likely
    message: "Tokens of a trusted provider come again and again without the identity claim {claim|(not named)}; whoever has such a token cannot sign in."
  - id: add-in-issuer
    when: add_in
    symptoms: [add_in, issuer, no_claim, refused]
    severity: warning
    confidence: likely
    message: "A token of an add-in, a workflow, another server or farm is refused when its issuer is checked. Mostly the issuer is not registered under this farm's realm, as after the realm was changed for a hybrid."
  - id: issuer-once
    when: issuer
    symptoms: [issuer, no_claim, refused]
    severity: warning
    confidence: likely
    message: "A token was refused when its issuer was checked. Mostly SharePoint does not know the certificate that signed it."
  - id: identity-claim-missing-once
    when: no_claim
    symptoms: [no_claim, refused]
    severity: warning
    confidence: likely
    message: "A token of a trusted provider came without the identity claim {claim|(not named)}, so that its user cannot sign in. Mostly the account has no such value in the directory."
  - id: refused
    when: refused
    symptoms: [refused]
    severity: warning
    confidence: likely
    message: "SharePoint refused the token of a trusted provider; the row does not say which part of it is wrong."

explain:
  what: A user came back from a trusted identity provider, such as AD FS or Entra ID, and SharePoint did not accept the token.
  why: Row eu2n says that the identity claim, with which SharePoint names the user, is not in the token; the account has no value for it, the provider has no rule that sends it, or the claim is mapped under another name. The issuer is not trusted when the token was signed with another certificate than the one that the token issuer has; providers change it by themselves. Tokens of OAuth name the realm of the farm in their issuer; the hybrid configuration wizard changes the realm, and issuers that were registered before are then unknown. A refusal alone may come from the wrong realm, the wrong reply address, or a token that is too old.
  impact: The user, or all users of that provider, get an error page after signing in.

fix:
  - step: "Read what SharePoint expects: Get-SPTrustedIdentityTokenIssuer | Select Name, DefaultProviderRealm, ProviderUri; its IdentityClaimTypeInformation; its SigningCertificate.Thumbprint and NotAfter."
    where: SharePoint Management Shell
    effect: none
    undo: none needed
  - step: "Give the account a value for the claim, or add a rule at the provider that sends {claim|the identity claim}."
    where: the directory, or the identity provider
    effect: none on other users
    undo: remove the rule
    when: [identity-claim-missing, identity-claim-missing-once]
  - step: "If the thumbprints differ, take over the provider's new certificate: $c = Get-PfxCertificate FILE; New-SPTrustedRootAuthority -Name NAME -Certificate $c; Get-SPTrustedIdentityTokenIssuer NAME | Set-SPTrustedIdentityTokenIssuer -ImportTrustCertificate $c."
    where: SharePoint Management Shell; take the certificate from the provider's federation metadata
    effect: tokens that are signed with the old certificate are refused; the farm trusts what the new certificate signs, so make sure that it is the provider's
    undo: import the old certificate in the same way
    when: [issuer-not-trusted, issuer-once]
  - step: "Compare the realm with that of the registered issuers: Get-SPAuthenticationRealm; Get-SPTrustedSecurityTokenIssuer | Select Name, RegisteredIssuerName; register the issuer again with the realm of today."
    where: SharePoint Management Shell
    effect: add-ins that use the issuer work again, once their permissions are granted again; these depend on the realm
    undo: Remove-SPTrustedSecurityTokenIssuer NAME
    when: add-in-issuer
  - step: "Compare realm and reply address at the provider with those of SharePoint, and the clocks of both."
    where: the identity provider
    effect: none
    undo: none needed
    when: [refused, issuer-once]
verify: "Sign in as an affected user, then run: fastctl diagnose --rule FS1028 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "SysAdminsBlog, SharePoint 2010 Trusted Identity Token Issuer Error (rows eu2n \"is not sending configured input identity claim type\" and fo1t)"
    url: "http://www.sysadminsblog.com/microsoft/sharepoint-2010-trusted-identity-token-issuer-error/"
  - title: "Steve Peschka (Microsoft), TrustedMissingIdentityClaimSource Error with Claims Auth (the account has no value for the claim)"
    url: "https://blogs.technet.microsoft.com/speschka/2010/09/23/trustedmissingidentityclaimsource-error-with-claims-auth-in-sharepoint-2010/"
  - title: "SharePoint Stack Exchange, The issuer of the token is not a trusted issuer (stack with GetIssuerName; the certificates differ)"
    url: "https://sharepoint.stackexchange.com/questions/115633/the-issuer-of-the-token-is-not-a-trusted-issuer"
  - title: "Microsoft, OfficeDocs-Support, provider-hosted add-ins stop working after the hybrid wizard (the realm changed; \"issuer of the token is not a trusted issuer\")"
    url: "https://learn.microsoft.com/en-us/sharepoint/troubleshoot/administration/provider-hosted-add-ins-stop-working-and-http-401-error-after-configure-farm-hybrid-features"
  - title: "EntraCP #130, the trusted login provider did not supply a token accepted by this farm"
    url: "https://github.com/Yvand/EntraCP/issues/130"

"""##

private let FS1029 = ##"""
schema: fastctl.rule/1
id: FS1029
slug: oauth-call-lacks-group-claims
revision: 4
status: stable
title: A call of client.svc is refused for want of the right to open the site
category: identity
tags: [sharepoint, oauth, saml, claims, workflow, client.svc]

select:
  no_permission:
    # 0x10000 is Open, 0x2000000000 is UseRemoteAPIs: the caller may speak, but not see the site.
    event_id: "ajmmu"
    message|contains: "asking for 0x10000, have 0x2000000000"
  oauth: # rows about the token of an add-in or another server; users who sign in with a browser have none
    category: Application Authentication
    level|gte: Verbose
    message|contains: "SPApplicationAuthenticationModule"
  refused: # the last is what is left in a log without those of CSOM
    event_id: ["afxwb", "agmjp", "aizmo"]
    message|contains|all:
      - "System.UnauthorizedAccessException"
      - "Microsoft.SharePoint.Client.SPClientServiceHost.OnBeginRequest("
  answered: # only says how client.svc answers a check that failed
    event_id: alkvd
    message|contains: "SPUtilityInternal.Send401"

check:
  by_application:
    sequence: {steps: [oauth, no_permission, refused], by: request}
    label: "{count} refused request(s) came with the token of an application"
  refused:
    sequence: {steps: [no_permission, refused], by: request}
    label: "{count} request(s) were refused for want of Open; the caller has only Use Remote Interfaces"
  answered:
    count: {of: answered, gte: 1}
    label: "{count} row(s) alkvd say that client.svc throws an exception in place of the answer 401"

verdicts:
  - id: no-group-claims
    when: by_application
    symptoms: [by_application, refused, answered]
    severity: warning
    confidence: likely
    message: "client.svc refuses calls with an application's token ({by_application.count} request(s)): SharePoint sees no right to open the site. Mostly the user has none, or the groups of a SAML user were not passed on."
  - id: no-right
    when: refused
    symptoms: [refused, answered]
    severity: warning
    confidence: likely
    message: "client.svc refused a caller whose rights, as computed for this call, do not include Open ({refused.count} request(s)); the rows do not show whether the user lacks the right or whether the groups that give it were not passed on."

explain:
  what: Something called client.svc (for instance a workflow, an add-in, Office Web Apps, another server or a script of a page), and the permission check failed before the call began.
  why: Users of a SAML provider often get their rights through a Role or GroupSID claim. Before the cumulative update of March 2016 (15.0.4805.1000), SharePoint 2013 did not pass those claims on when it built the identity of an OAuth caller, so that only rights granted to the user by name were left. SharePoint 2016 has GroupClaimType since September 2017 (16.0.4588.1000). Groups come from the user's profile, so it must be imported, with its groups and the claim's identifier. A user who really has no right looks the same in the log, and a client that signs in only when asked may be refused once before a call that succeeds. First find out whether the same user can open the site in a browser, whether the call was made by an application (OAuth), and whether it fails in the end.
  impact: If groups are not passed on, SharePoint 2013 workflows, provider-hosted add-ins, Office Web Apps and hybrid features fail with 401 for users who get their rights through groups.

fix:
  - step: Sign in with a browser as the user who was refused, and open the site. If that fails too, the user has no right there, and the log shows nothing else.
    where: a browser
    effect: none
    undo: none needed
  - step: Otherwise see the build, (Get-SPFarm).BuildVersion. If it is older than 15.0.4805.1000 in 2013 or 16.0.4588.1000 in 2016, install a later cumulative update, and run the configuration wizard.
    where: all servers of the farm
    effect: sites are down while servers are updated and the wizard runs; have a backup
    undo: none; SharePoint updates cannot be removed
  - step: Set GroupClaimType of the SPTrustedIdentityTokenIssuer to the claim type that grants the rights (Role or GroupSid), and call Update().
    where: SharePoint Management Shell, once for the farm
    effect: none on users who sign in with a browser
    undo: set GroupClaimType to the value it had before
  - step: Until then, grant the user the right by name instead of through a group.
    where: the site that is called
    effect: the user keeps the right when leaving the group
    undo: remove the user from the permissions of the site
verify: "Repeat the call, then run: fastctl diagnose --rule FS1029 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "Microsoft, \"401 unauthorized\" error when using OAuth and SAML claims (rows ajmmu, afxwb, agmjp, alkvd)"
    url: "https://github.com/MicrosoftDocs/OfficeDocs-Support/blob/36878e0e10/SharePoint/SharePointServer/security/401-unauthorized-error-when-using-oauth-and-saml-claims.md"
  - title: "Adam Sorenson, SAML roles and SharePoint 2016/2013 with OAuth (updates needed, GroupClaimType)"
    url: "https://blogs.technet.microsoft.com/adamsorenson/2018/03/02/saml-roles-and-sharepoint-20162013-with-oauth/"

"""##

private let FS1032 = ##"""
schema: fastctl.rule/1
id: FS1032
slug: certificate-validation-fails
revision: 3
status: stable
title: A certificate is refused because its validation fails
category: security
tags: [sharepoint, certificate, x509, trust, sign-in]
per: subject

select:
  # The names of the states are those of .NET; SharePoint 2010 writes only a sentence. Each row is of one kind.
  own: # the farm's own certificates, of which the root lies in Manage trust
    event_id: "8311"
    message|contains|any: ["Issuer Name: CN=SharePoint Root Authority", "Issuer Name: CN=SharePoint Services Root Authority"]
    message|contains: ["UntrustedRoot", "PartialChain", "not a trusted root authority"]
    message|contains|none: "NotTimeValid"
    capture: ["Subject Name: CN={subject} Issuer", "Subject Name: CN={subject}\nIssuer", "Subject Name: CN={subject}\\nIssuer", "Subject Name: {subject} Issuer Name:"]
  expired:
    event_id: "8311"
    message|contains: "NotTimeValid"
    capture: ["Subject Name: CN={subject} Issuer", "Subject Name: CN={subject}\nIssuer", "Subject Name: CN={subject}\\nIssuer", "Subject Name: {subject} Issuer Name:"]
  untrusted:
    event_id: "8311"
    message|contains: ["UntrustedRoot", "PartialChain", "not a trusted root authority"]
    message|contains|none: ["NotTimeValid", "Issuer Name: CN=SharePoint Root Authority", "Issuer Name: CN=SharePoint Services Root Authority"]
    capture: ["Subject Name: CN={subject} Issuer", "Subject Name: CN={subject}\nIssuer", "Subject Name: CN={subject}\\nIssuer", "Subject Name: {subject} Issuer Name:"]
  revoked:
    event_id: "8311"
    message|contains: "Revoked"
    message|contains|none: ["NotTimeValid", "UntrustedRoot", "PartialChain", "not a trusted root authority"]
    capture: ["Subject Name: CN={subject} Issuer", "Subject Name: CN={subject}\nIssuer", "Subject Name: CN={subject}\\nIssuer", "Subject Name: {subject} Issuer Name:"]
  offline: # whether it is revoked could not be asked
    event_id: "8311"
    message|contains: ["RevocationStatusUnknown", "OfflineRevocation"]
    message|contains|none: ["NotTimeValid", "UntrustedRoot", "PartialChain", "not a trusted root authority", "Revoked"]
    capture: ["Subject Name: CN={subject} Issuer", "Subject Name: CN={subject}\nIssuer", "Subject Name: CN={subject}\\nIssuer", "Subject Name: {subject} Issuer Name:"]
  other:
    event_id: "8311"
    message|contains|none: ["NotTimeValid", "UntrustedRoot", "PartialChain", "not a trusted root authority", "Revoked", "RevocationStatusUnknown", "OfflineRevocation"]
    capture: ["Subject Name: CN={subject} Issuer", "Subject Name: CN={subject}\nIssuer", "Subject Name: CN={subject}\\nIssuer", "Subject Name: {subject} Issuer Name:"]

check:
  own:
    count: {of: own, gte: 1}
    label: "{count} time(s) the root of a farm's own certificate was not trusted"
  expired:
    count: {of: expired, gte: 1}
    label: "{count} time(s) it was not yet or no longer valid (NotTimeValid)"
  expired_often:
    count: {of: expired, gte: 3}
  untrusted:
    count: {of: untrusted, gte: 1}
    label: "{count} time(s) its root was not trusted or not found (UntrustedRoot, PartialChain)"
  untrusted_often:
    count: {of: untrusted, gte: 3}
  other:
    count: {of: other, gte: 1}
    label: "{count} time(s) it was refused for another reason"
  revoked:
    count: {of: revoked, gte: 1}
    label: "{count} time(s) it was revoked by its issuer (Revoked)"
  offline:
    count: {of: offline, gte: 1}
    label: "{count} time(s) it could not be found out whether it is revoked (RevocationStatusUnknown, OfflineRevocation)"

verdicts:
  - id: own-root-missing
    when: own
    symptoms: [own, expired, untrusted]
    severity: error
    confidence: likely
    message: "Certificate {subject|(not logged)}, issued by a SharePoint farm's own root, is not trusted. Mostly the trust named local was deleted or holds another root, or the certificate is that of another farm."
  - id: expired
    when: expired_often
    symptoms: [expired, untrusted, revoked, other, offline]
    severity: error
    confidence: likely
    message: "Certificate {subject|(not logged)}, or one above it, is outside its period of validity by this server's clock (NotTimeValid)."
  - id: untrusted
    when: untrusted_often
    symptoms: [expired, untrusted, revoked, other, offline]
    severity: error
    confidence: likely
    message: "No trusted root is found for certificate {subject|(not logged)}. Mostly the root is not in Manage trust, or a certificate between is missing."
  - id: now-and-then
    when: {any: [expired, untrusted, revoked, other]}
    symptoms: [expired, untrusted, revoked, other, offline]
    severity: warning
    confidence: likely
    message: "Certificate {subject|(not logged)} was refused; the symptoms and the first row of the evidence say why."
  - id: not-checked
    when: offline
    symptoms: [offline]
    severity: warning
    confidence: likely
    message: "It was not found out whether certificate {subject|(not logged)} is revoked. Mostly this server cannot read the list of revoked certificates because it has no way to the internet."

explain:
  what: SharePoint checked a certificate before it signed, called a service or accepted a token, and the check failed (row 8311).
  why: SharePoint has a list of trusted roots of its own (Manage trust in Central Administration) beside that of Windows. NotTimeValid means that a certificate of the chain has expired or is not valid yet. UntrustedRoot and PartialChain mean that the root, or a certificate between, is not in the lists. Revoked means what it says. RevocationStatusUnknown and OfflineRevocation mean only that the list of revoked certificates could not be read, usually because the server cannot reach the internet; alone they rarely stop anything. If the certificate comes from the farm's own root, the trust named local is missing or holds another root.
  impact: What needed the certificate fails, for instance signing in, a claims provider, the crawler on https, or a published service application.

fix:
  - step: "See what is trusted: Get-SPTrustedRootAuthority | Select Name, Certificate. If local is missing, make the farm's own root trusted again: $root = (Get-SPCertificateAuthority).RootCertificate; New-SPTrustedRootAuthority -Name localNew -Certificate $root; then run iisreset."
    where: SharePoint Management Shell; iisreset on each server
    effect: iisreset ends all running requests
    undo: Remove-SPTrustedRootAuthority localNew
    when: own-root-missing
  - step: "Read the dates: export the certificate and run certutil -dump FILE, or look at it with openssl or a browser; compare with the clock of this server."
    where: the server that wrote the row
    effect: none
    undo: none needed
    when: [expired, now-and-then]
  - step: Renew the certificate {subject|*} where it is used, and replace it in Manage trust or in the token issuer if it is kept there.
    where: the service that has the certificate, then Central Administration
    effect: services that still know the old one refuse the new one
    undo: restore the old certificate while it is valid
    when: expired
  - step: "See which certificate of the chain is missing: certutil -verify -urlfetch FILE."
    where: the server that wrote the row, and another one for comparison
    effect: none
    undo: none needed
    when: [untrusted, now-and-then]
  - step: "Import the root, and each certificate between, into SharePoint's own list: New-SPTrustedRootAuthority -Name NAME -Certificate (Get-PfxCertificate FILE)."
    where: SharePoint Management Shell
    effect: the whole farm trusts what the root signs, so make sure whose it is
    undo: Remove-SPTrustedRootAuthority NAME
    when: untrusted
  - step: "See which address cannot be read: certutil -verify -urlfetch FILE; and the proxy that services use: netsh winhttp show proxy."
    where: the server that wrote the row
    effect: none
    undo: none needed
    when: not-checked
  - step: Let the server reach that address, through the proxy of the machine account if there is one; if nothing that users need is broken, you can ignore the rows.
    where: the network, or netsh winhttp set proxy
    effect: the machine's services use the proxy
    undo: netsh winhttp reset proxy
    when: not-checked
verify: "Repeat what failed, then run: fastctl diagnose --rule FS1032 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "Microsoft (Praveen Hebbar), Event ID 8311, certificate validation errors (\"The root of the certificate chain is not a trusted root authority\", the local trust was deleted)"
    url: "https://blogs.technet.microsoft.com/praveenh/2011/05/10/event-id-8311-certificate-validation-errors-in-mss-2010/"
  - title: "Al's Tech Tips, SharePoint 2013: A required certificate is not within its validity period (8311, NotTimeValid)"
    url: "https://alstechtips.blogspot.com/2016/05/sharepoint-2013-required-certificate-is.html"
  - title: "myspworld, Event ID 8311: SharePoint needs the whole chain in its trust list"
    url: "https://myspworld.wordpress.com/2011/12/31/event-id-8311-the-root-of-the-certificate-chain-is-not-a-trusted-root-authority/"
  - title: "Microsoft, X509ChainStatusFlags (NotTimeValid, UntrustedRoot, PartialChain, Revoked, RevocationStatusUnknown, OfflineRevocation)"
    url: "https://learn.microsoft.com/en-us/dotnet/api/system.security.cryptography.x509certificates.x509chainstatusflags"

"""##

private let FS1033 = ##"""
schema: fastctl.rule/1
id: FS1033
slug: certificate-validation-slow
revision: 2
status: stable
title: The validation of a certificate takes long
category: performance
tags: [sharepoint, certificate, revocation list, crl, sign-in, slow]

select:
  slow:
    event_id: "8321"
    capture: "validation operation took {milliseconds} milliseconds"
  scope: # ten seconds or more
    event_id: b4ly
    level|gte: High # as for whatever takes long; below, each scope is logged
    message|re: 'Leaving Monitored Scope \(SPCertificateValidator\.Validate\)\. .*=[0-9]{5,9}([.,][0-9]+)?$'
    capture: "Execution Time={milliseconds}"

check:
  slow:
    count: {of: slow, gte: 1}
    label: "{count} time(s) the validation of a certificate took too long"
  scope:
    count: {of: scope, gte: 1}
    label: "{count} time(s) the validation of a certificate took ten seconds or more"
  often:
    count: {of: slow, gte: 5, within: 8h}

verdicts:
  - id: slow-often
    when: often
    symptoms: [slow]
    severity: warning
    confidence: likely
    message: "The validation of certificates takes long again and again, first {milliseconds|(not logged)} ms, and what needs them waits. Mostly the server cannot reach the internet and waits for lists of revoked certificates."
  - id: slow
    when: {any: [slow, scope]}
    symptoms: [slow, scope]
    severity: info
    confidence: likely
    message: "The validation of a certificate took {milliseconds|(not logged)} ms; what needed it waited so long."

explain:
  what: SharePoint validated a certificate, usually its own, and it took longer than the limit (8321), or ten seconds or more (b4ly).
  why: Windows looks for the root of the certificate, for updates of its list of roots, and for lists of revoked certificates. If the server cannot reach the internet, each try ends with a time-out of some 15 seconds. SharePoint's own root is not in the Windows store, so that Windows looks for it over the network. After a restart, one slow validation is usual.
  impact: Users wait many seconds when they sign in, search or open the first page; some requests time out.

fix:
  - step: "Put SharePoint's root into the Windows store of each server: (Get-SPCertificateAuthority).RootCertificate.Export('Cert') | Set-Content C:\\root.cer -Encoding Byte; then import C:\\root.cer into Trusted Root Certification Authorities of the computer."
    where: each server of the farm
    effect: Windows trusts what SharePoint's own root signs
    undo: remove the certificate from the store
  - step: "If it still happens, let the servers reach the addresses of the revocation lists, or turn off the automatic update of root certificates (policy Turn off Automatic Root Certificates Update)."
    where: the network, or the policies of the servers
    effect: new root certificates do not come by themselves
    undo: set the policy to not configured
verify: "Restart IIS and sign in, then run: fastctl diagnose --rule FS1033 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "Microsoft, KB 2639348, Search results are returned much slower intermittently (Leaving Monitored Scope (SPCertificateValidator.Validate), 15064 ms)"
    url: "http://support.microsoft.com/kb/2639348/en-us"
  - title: "Greenbrain, A certificate validation operation took nnn milliseconds and has exceeded the execution time threshold (8321, Critical; both workarounds of KB 2625048)"
    url: "https://blog.greenbrain.de/2017/01/certificate-validation-operation-exceeded.html"
  - title: "Microsoft, OfficeDocs-Support, site-slowness-because-of-sts-certificate-crl-checking (KB 2625048)"
    url: "https://github.com/MicrosoftDocs/OfficeDocs-Support/blob/36878e0e10/SharePoint/SharePointServer/sites/site-slowness-because-of-sts-certificate-crl-checking.md"

"""##

private let FS1034 = ##"""
schema: fastctl.rule/1
id: FS1034
slug: private-key-not-readable
revision: 2
status: stable
title: A key cannot be opened
category: security
tags: [sharepoint, certificate, private key, machine keys, cng]
supersedes: [FS1002, FS1056]

select:
  # 0x80090016 is NTE_BAD_KEYSET, 0x80090014 is NTE_BAD_PROV_TYPE.
  no_keyset:
    - level|gte: High
      message|contains|all: ["CryptographicException", "Keyset does not exist"]
    - level|gte: High
      message|contains: "0x80090016"
    - event_id: [8nca, "6398"]
      message|contains: "Keyset does not exist"
  provider:
    - level|gte: High
      message|contains|all: ["CryptographicException", "Invalid provider type specified"]
    - level|gte: High
      message|contains: "0x80090014"
    - event_id: [8nca, "6398"]
      message|contains: "Invalid provider type specified"

check:
  no_keyset:
    count: {of: no_keyset, gte: 1}
    label: "{count} time(s) the key was not there or not readable"
  provider:
    count: {of: provider, gte: 1}
    label: "{count} time(s) the key was in a store that .NET does not know (CNG)"

verdicts:
  - id: wrong-provider
    when: provider
    symptoms: [provider, no_keyset]
    severity: error
    confidence: likely
    message: "A key cannot be opened because its provider type is not valid for the caller. Mostly it is the private key of a certificate, kept by a provider (CNG) that this code does not know."
  - id: not-readable
    when: no_keyset
    symptoms: [no_keyset]
    severity: error
    confidence: likely
    message: "A key cannot be opened because its keyset does not exist for the caller. Mostly the account of the process may not read the private key of a certificate, or the key is not on this server."

explain:
  what: A process wanted to sign or decrypt with a certificate, and Windows did not give it the private key.
  why: "\"Keyset does not exist\" is what Windows answers when the account has no right to read the key file, and also when the certificate was imported without its key, or into the store of another account. \"Invalid provider type specified\" comes from a key in the newer store (CNG), which older code of .NET cannot open, as when the certificate of the Security Token Service is replaced. The texts are recognized in English, other languages by the number."
  impact: What signs or decrypts with the certificate fails, for instance tokens for add-ins and hybrid search, or the replacement of a certificate.

fix:
  - step: "Look at the certificate and its key: certutil -store My THUMBPRINT names the provider and the container; Provider = Microsoft Software Key Storage Provider is CNG."
    where: the server that wrote the row
    effect: none
    undo: none needed
  - step: "If frames of OAuth or of the Security Token Service stand in the trace, it is mostly the certificate that signs the farm's tokens, which is mostly in another store than Personal: (Get-SPSecurityTokenServiceConfig).LocalLoginProvider.SigningCertificate. Its key is a file in C:\\ProgramData\\Microsoft\\Crypto\\RSA\\MachineKeys; see who may read it with icacls."
    where: the server that wrote the row
    effect: none
    undo: none needed
    when: not-readable
  - step: "Give the account of the process (for the farm account: the local group WSS_RESTRICTED_WPG_V4) read access to the key: certlm.msc, Personal, the certificate, All Tasks, Manage Private Keys; or the security of the key's file."
    where: each server that uses the certificate
    effect: the account can sign with the certificate; recycle its application pool or restart its service
    undo: take the right away
    when: not-readable
  - step: "Import the certificate again with its key: certutil -importPFX -csp \"Microsoft Enhanced RSA and AES Cryptographic Provider\" FILE."
    where: each server that uses the certificate
    effect: keep a copy of the PFX file; the key moves to the older store
    undo: import it again without -csp
    when: wrong-provider
verify: "Repeat what failed, then run: fastctl diagnose --rule FS1034 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "Microsoft (Sujesh), Replacing the STS certificate of the on-premises SharePoint server fails (row 6398, \"Invalid provider type specified\", stack of Utils.CreateProvHandle)"
    url: "https://blogs.technet.microsoft.com/sujesh/2018/02/14/replacing-security-token-service-sts-of-the-on-premises-sharepoint-server-fails/"
  - title: "Broadcom, Grant application pool identities permissions to the client certificate (Manage Private Keys)"
    url: "https://ftpdocs.broadcom.com/cadocs/0/CA%20SiteMinder%20Agent%20for%20SharePoint%202010%20r12%20SP3-ENU/Bookshelf_Files/HTML/idocs/1826613.html"
  - title: "Ademero, SSL certificate errors with single sign-on (key permissions, CNG provider, certutil -importPFX -csp)"
    url: "https://support.ademero.com/portal/en/kb/articles/ssl-certificate-for-content-central-19-8-2025"

"""##

private let FS1035 = ##"""
schema: fastctl.rule/1
id: FS1035
slug: no-windows-identity
revision: 3
status: stable
title: Claims users get no Windows identity
category: authentication
tags: [sharepoint, claims, c2wts, kerberos]
needs: {uls: required, farm: optional}

select:
  no_identity:
    event_id: g220
    # Services ask too, and need no Windows identity.
    message|contains|none: ["nt authority\\", "network service", "local service", "iis apppool\\", "s-1-5-18", "s-1-5-19", "s-1-5-20"]
  no_token: # says little alone: a cache did not have it
    event_id: d52v
    capture: "for user '{user}'"
  refused: # without an exception the row is usual
    event_id: bz7l
    message|contains: SecurityAccessDeniedException
    capture: "NTName='{user}'"
  no_pipe: # the pipe that the service opens when it starts
    level|gte: Medium
    message|contains|all: "net.pipe://localhost/s4u/"
    message|contains: ["could not be found", "is unavailable"]

check:
  no_pipe:
    count: {of: no_pipe, gte: 1}
    label: "{count} time(s) the Claims to Windows Token Service was not reached"
  refused:
    count: {of: refused, gte: 1}
    label: "{count} time(s) the call of the Claims to Windows Token Service was denied"
  no_identity:
    count: {of: no_identity, gte: 1}
    label: "{count} time(s) there was no Windows identity"
  no_token:
    count: {of: no_token, gte: 1}
    label: "{count} time(s) the token cache had nothing for the user"
  stopped:
    farm: {service: SPWindowsTokenServiceInstance, runs: false}

verdicts:
  - id: not-listening
    when: no_pipe
    symptoms: [no_pipe, refused, no_identity, no_token]
    severity: warning
    confidence: likely
    message: "The Claims to Windows Token Service was not reached at its pipe on the server that wrote the row. Mostly it does not run there."
  - id: refused
    when: refused
    symptoms: [refused, no_identity, no_token]
    severity: warning
    confidence: likely
    message: "The Claims to Windows Token Service made no Windows token for {user|a user}: access was denied. Mostly the caller is not among those that may ask."
  - id: not-running
    when: {all: [no_identity, stopped]}
    symptoms: [no_identity, no_token]
    severity: warning
    confidence: certain
    message: "There is no Windows identity for {user|a claims user}, and the Claims to Windows Token Service runs on no server of the farm."
  - id: no-identity
    when: no_identity
    symptoms: [no_identity, no_token]
    severity: warning
    confidence: likely
    message: "There is no Windows identity for {user|a claims user}."

explain:
  what: >-
    A service application needed the Windows identity of a user who signed in with claims, and did not get one
    (g220), or the Claims to Windows Token Service (c2WTS) refused the request (bz7l).
  why: >-
    The service does not run on this server, its account lacks rights (act as part of the operating system, impersonate
    a client, log on as a service), the caller is not listed in c2wtshost.exe.config, or the account has no user
    principal name. Users of trusted providers such as AD FS, and of forms, usually get no Windows identity this way,
    even with a UPN. Accounts of services, such as network service, do not count: SharePoint asks for their identity in
    healthy farms too.
  impact: >-
    External data that requires a Windows user does not load: Excel Services, PerformancePoint, Reporting Services,
    external lists. Sites and lists themselves are not affected.

fix:
  - step: >-
      Check whether the Claims to Windows Token Service is started, in Central Administration and as a Windows service,
      and whether it starts with the server (it depends on Cryptographic Services).
    where: each server that runs the service application
    effect: starting it interrupts nobody
    undo: stop the service
  - step: Add the caller (WSS_WPG holds the pool accounts) to allowedCallers of c2wtshost.exe.config and restart the service; see also that the service account has its rights (secpol.msc, User Rights Assignment).
    where: 'C:\Program Files\Windows Identity Foundation\v3.5\c2wtshost.exe.config on each server that runs the service application'
    effect: whoever is listed can get a Windows token of any user, so list no more than needed; connections to external data fail while the service restarts
    undo: remove the entry
    when: refused
  - step: If nothing that users need is broken, you can ignore the rows.
    when: no-identity
verify: >-
  Refresh external data as an affected user; fastctl diagnose --rule FS1035 --since TIME-OF-THE-CHANGE LOGS must find
  nothing.

references:
  - title: "Microsoft, Errors refreshing PowerPivot: \"Claims to Windows Token Service\" not being started (its pipe is net.pipe://localhost/s4u/…)"
    url: https://learn.microsoft.com/en-us/archive/technet-wiki/11566.sharepoint-2010-troubleshooting-errors-refreshing-powerpivot-sql-2008
  - title: "Published log of Microsoft's Tx: g220 \"No windows identity for\" after d52v \"could not find token for user\""
    url: https://github.com/microsoft/Tx/blob/HEAD/Traces/ULS.log
  - title: >-
      Troubleshooting Claims to Windows NT Token Service: bz7l "Could not retrieve a valid windows identity ...
      SecurityAccessDeniedException: Access is denied"
    url: https://docs.microsoft.com/en-us/archive/blogs/rodneyviana/troubleshooting-claims-to-windows-nt-token-service-c2wts-in-sharepoint-2010-may-be-difficult-if-you-dont-know-where-to-start
  - title: "SharePoint: Facts and troubleshooting the Claims To Windows Token Service: bz7l is \"not necessarily an error\""
    url: https://joshroark.com/sharepoint-facts-and-troubleshooting-the-claims-to-windows-token-service-c2wts/

"""##

private let FS1037 = ##"""
schema: fastctl.rule/1
id: FS1037
slug: people-picker-cannot-resolve-trusted-domain
revision: 4
status: stable
title: No domain controller is found for a domain
category: identity
tags: [sharepoint, people picker, active directory, netbios, trust]

select:
  no_domain:
    # 1355 is ERROR_NO_SUCH_DOMAIN.
    event_id: "72e1"
    message|contains: "ErrorCode=1355"
    capture: "for domain {domain}. ErrorCode="
  not_resolved:
    event_id: "72e9"
    message|contains: "SPUserUtility.GetDomainControllerToSearch("
    capture: "user '{user}'"

check:
  no_domain:
    count: {of: no_domain, distinct: request, gte: 1}
    label: "{count} request(s) found no domain controller for {domain|a domain}"
  lookup_failed:
    sequence: {by: request, steps: [no_domain, not_resolved]}
    label: "{count} request(s) could not resolve a name in domain {domain|(unknown)}"

verdicts:
  - id: domain-not-found
    when: lookup_failed
    symptoms: [lookup_failed]
    severity: warning
    confidence: likely
    message: "No domain controller was found for {domain|a domain} (error 1355), and {user|the user} was not resolved. Mostly the short name of a trusted domain cannot be resolved, the domain is mistyped, or it cannot be reached."
  - id: domain-unknown
    when: no_domain
    symptoms: [no_domain]
    severity: warning
    confidence: likely
    message: "Windows finds no domain controller for {domain|a domain} (error 1355); that the people picker fails is not in the log. A mistyped domain looks the same."

explain:
  what: SharePoint looked for a domain, mostly to resolve a name that somebody typed into the people picker, and found no domain controller for it.
  why: SharePoint asks for the domain by its short NetBIOS name. Without WINS or another way to resolve short names across forests, Windows answers 1355 (the domain does not exist or cannot be contacted). A domain that somebody mistyped gives the same rows. Row 72e9, which names the user, is often missing where the log is not verbose enough.
  impact: If there is such a domain, its users mostly cannot be added to sites; the people picker then says that no exact match was found.

fix:
  - step: "Check that {domain|the domain} is the name of a trusted domain and not a slip: nltest /domain_trusts on this server lists their short and full names. Then try nltest /dsgetdc:FULL-NAME: if only the short name fails, it is not resolved."
    where: the server that wrote the row
    effect: none
    undo: none needed
  - step: "If it is a trusted domain, set the farm property disable-netbios-dc-resolve, and list {domain|the domain} with its DNS name and its short name in PeoplePickerSettings.SearchActiveDirectoryDomains of the web application."
    where: SharePoint Management Shell; the second part for each web application
    effect: the people picker searches the listed domains
    undo: remove the property and the entry, and call Update() on both
  - step: Or make the short name resolvable (WINS, or what your network uses instead).
    where: the servers that run the web application
    effect: other programs that use short names find the domain too
    undo: remove the entry
verify: "Search for the user in the people picker, then run: fastctl diagnose --rule FS1037 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "Microsoft, \"No exact match was found\" error in a trusted forest (rows 72e1 with ErrorCode=1355 and 72e9)"
    url: "https://github.com/MicrosoftDocs/OfficeDocs-Support/blob/36878e0e10/SharePoint/SharePointServer/people-picker/no-exact-match-found-error-in-trusted-forest.md"
  - title: "Microsoft, Domain join and basic troubleshooting (Status = 1355 0x54b ERROR_NO_SUCH_DOMAIN)"
    url: "https://techcommunity.microsoft.com/blog/askds/domain-join-and-basic-troubleshooting/4405860"

"""##

private let FS1038 = ##"""
schema: fastctl.rule/1
id: FS1038
slug: people-picker-selective-authentication
revision: 4
status: stable
title: A search for users in Active Directory fails
category: identity
tags: [sharepoint, people picker, active directory, trust, selective authentication]
supersedes: [FS1002]

select:
  # 0x8007203B is ERROR_DS_LOCAL_ERROR, what a refused Kerberos ticket looks like from here.
  refused:
    level|gte: High
    message|contains|all: ["0x8007203B", "SearchFromGC("]
    capture: "Error in searching user '{user}'"
  down: # 0x8007203A is ERROR_DS_SERVER_DOWN
    level|gte: High
    message|contains|all: ["0x8007203A", "SearchFromGC("]
    capture: "Error in searching user '{user}'"

check:
  refused:
    count: {of: refused, gte: 1}
    label: "{count} search(es) failed with a local error of the LDAP client (0x8007203B)"
  down:
    count: {of: down, gte: 1}
    label: "{count} search(es) found the directory not operational (0x8007203A)"

verdicts:
  - id: not-allowed-to-authenticate
    when: refused
    symptoms: [refused, down]
    severity: error
    confidence: likely
    message: "A search in Active Directory failed with a local error of the LDAP client, before the directory answered (user {user|not logged}, 0x8007203B). Mostly a trusted domain refused the application pool's account, as with selective authentication, which needs the right to authenticate at its domain controllers, or Kerberos failed for another reason."
  - id: no-controller
    when: down
    symptoms: [down]
    severity: warning
    confidence: likely
    message: "A search in Active Directory failed because the server was not operational (user {user|not logged}, 0x8007203A). Mostly no domain controller answers, or its ports are closed from this server."

explain:
  what: SharePoint searched Active Directory, mostly for a name that somebody typed into the people picker, and the search failed.
  why: Over a trust with selective authentication, an account may sign in only at computers where it has the right Allowed to Authenticate; without it the domain controller refuses the ticket, and the LDAP client on this server reports a local error. Kerberos that fails for another reason, such as a closed port 88 or a wrong clock, looks the same. 0x8007203A means that no domain controller answered. Both look the same to the user.
  impact: Users and groups of that domain are not found.

fix:
  - step: "See the trust from the side of the domain whose users are searched: Get-ADTrust -Filter * -Server CONTROLLER-OF-THAT-DOMAIN | Select Name, Direction, SelectiveAuthentication. The setting stands at its entry for the domain of the application pool's account; other domains show only their own."
    where: a computer with the Active Directory module
    effect: none
    undo: none needed
  - step: If the trust has SelectiveAuthentication, give the account of the application pool the right Allowed to Authenticate on the domain controllers of the trusted domain (Active Directory Users and Computers, Security of the computer objects).
    where: the trusted domain
    effect: the account may sign in at these domain controllers
    undo: take the right away
    when: not-allowed-to-authenticate
  - step: "Test the way: nltest /dsgetdc:DOMAIN; Test-NetConnection CONTROLLER -Port 389, and 3268, 88, 445."
    where: the server that wrote the row
    effect: none
    undo: none needed
verify: "Search for the user in the people picker, then run: fastctl diagnose --rule FS1038 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "The SharePoint Farm, Selective authentication can kill the people picker in a two-way trust (\"DirectoryServicesCOMException (0x8007203B): A local error has occurred\")"
    url: "https://github.com/TheSharePointFarm/thesharepointfarm.github.io/blob/2b88bfe8d8/_posts/2013-03-20-selective-authentication-can-kill-the-people-picker-in-a-two-way-trust.md"
  - title: "Microsoft, System error codes 8200-8999 (ERROR_DS_SERVER_DOWN 8250 = 0x203A, ERROR_DS_LOCAL_ERROR 8251 = 0x203B)"
    url: "https://learn.microsoft.com/en-us/windows/win32/debug/system-error-codes--8200-8999-"

"""##

private let FS1040 = ##"""
schema: fastctl.rule/1
id: FS1040
slug: user-without-sid
revision: 2
status: stable
title: Windows gives no SID for a user
category: identity
tags: [sharepoint, claims, active directory, sid, sAMAccountName]
per: user

select:
  not_mapped:
    level|gte: High
    message|contains|all: ["IdentityNotMappedException", "SPClaimUserKeyUtility.GetUserKeyClaimForWindows("]
    capture: "for windows user. User: '{user}'"

check:
  not_mapped:
    count: {of: not_mapped, gte: 1}
    label: "{count} time(s) Windows did not translate the name into a SID"

verdicts:
  - id: no-sid
    when: not_mapped
    symptoms: [not_mapped]
    severity: warning
    confidence: likely
    message: "Windows gave no SID for {user|(not logged)}, so that SharePoint could not build the user's key. Mostly the account was deleted or renamed, its domain cannot be asked, or its sAMAccountName has characters, such as @, that make another name of it."

explain:
  what: SharePoint asked Windows for the SID of a user and got none (IdentityNotMappedException).
  why: Mostly, the account was deleted or renamed in Active Directory and SharePoint still has the old name, the trust to its domain does not work, or its sAMAccountName contains a character with a meaning of its own, such as @. The row does not tell these apart.
  impact: Mostly, that user cannot sign in, or nothing can be shared with the user; others only if the reason holds for them too, for instance for their domain.

fix:
  - step: "Ask Windows for the account: (New-Object System.Security.Principal.NTAccount '{user|DOMAIN\\user}').Translate([System.Security.Principal.SecurityIdentifier])."
    where: the server that wrote the row
    effect: none
    undo: none needed
  - step: "If the account has another name now, move the user, in each site that has it: $u = Get-SPUser -Web URL -Identity OLD; Move-SPUser -Identity $u -NewAlias NEW -IgnoreSID; with claims, OLD and NEW are whole logins, as Get-SPUser shows them. If its sAMAccountName contains @, give it another one, then move the user."
    where: SharePoint Management Shell, or Active Directory
    effect: the user's rights move to the new name in the whole farm; if the new name is already known to a site, that entry with its rights is deleted
    undo: move the user back; a deleted entry does not come back
verify: "Sign in as the user, then run: fastctl diagnose --rule FS1040 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "The SharePoint Farm, Don't put @ in the sAMAccountName (\"IdentityNotMappedException getting SID from AD for windows user\")"
    url: "https://github.com/TheSharePointFarm/thesharepointfarm.github.io/blob/2b88bfe8d8/_posts/2017-03-14-dont-put-samaccountname.md"
  - title: "Microsoft, IdentityNotMappedException class"
    url: "https://learn.microsoft.com/en-us/dotnet/api/system.security.principal.identitynotmappedexception"

"""##

private let FS1041 = ##"""
schema: fastctl.rule/1
id: FS1041
slug: web-service-not-found-behind-tls-offload
revision: 1
status: stable
title: SharePoint does not find a web service
category: network
tags: [sharepoint, people picker, tls offload, reverse proxy, load balancer]

select:
  https_service: # the name of the service for https, asked for by http
    event_id: fx7n
    message|contains: ".https.svc"
    capture: "for service at {path}"
  service:
    event_id: fx7n
    message|contains|none: ".https.svc"
    capture: "for service at {path}"

check:
  https_service:
    count: {of: https_service, gte: 1}
    label: "{count} request(s) for the https name of a service that was not found"
  service:
    count: {of: service, gte: 1}
    label: "{count} request(s) for a service that was not found"

verdicts:
  - id: tls-offload
    when: https_service
    symptoms: [https_service, service]
    severity: error
    confidence: likely
    message: "SharePoint found no service at {path|(not logged)}, a name that pages use with https. Mostly the browser speaks https, but a proxy or load balancer passes the request on by http."
  - id: service-not-found
    when: service
    symptoms: [service]
    severity: warning
    confidence: likely
    message: "SharePoint found no service at {path|the address}. Mostly the name is wrong, or the request came through a proxy that ends TLS."

explain:
  what: A request asked for a web service (.svc), and SharePoint could not find it under that name (fx7n).
  why: Pages that were opened by https call services whose names end in .https.svc. If a proxy or load balancer ends TLS and passes the request on by http, the web server looks for a service of that name for http and finds none. Without .https.svc in the row, the name may simply be wrong.
  impact: Fields and dialogs that call the service do not work, for instance the people picker in a form.

fix:
  - step: "Compare what browser and server see: fastctl logs trace CORRELATION shows the request as the server got it (http or https)."
    where: the logs
    effect: none
    undo: none needed
  - step: Let the proxy or load balancer speak https to the web servers as well, and give the web application an https binding.
    where: the proxy or load balancer, IIS on each web server
    effect: connections are made anew; the web servers need a certificate, and the alternate access mappings the https address
    undo: restore the former setting
  - step: Or let the proxy rewrite names that end in .https.svc to .svc.
    where: the proxy or load balancer
    effect: none on other requests
    undo: remove the rule
    when: tls-offload
verify: "Use the field or dialog again, then run: fastctl diagnose --rule FS1041 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "Microsoft, Picker field embedded in a form does not show Add People (row fx7n, \"Cannot find factory type for service at ...https.svc\")"
    url: "https://github.com/MicrosoftDocs/OfficeDocs-Support/blob/36878e0e10/SharePoint/SharePointServer/sharing-and-permissions/picker-field-embedded-does-not-show-add-people.md"

"""##

private let FS1042 = ##"""
schema: fastctl.rule/1
id: FS1042
slug: address-without-mapping
revision: 1
status: stable
title: Requests come under an address that SharePoint does not know
category: network
tags: [sharepoint, alternate access mapping, aam, url, load balancer]
per: url

select:
  unknown:
    event_id: "8214"
    capture: ["request was made for a URL, {url}, which", "request was made for a URL {url} which"]

check:
  unknown:
    count: {of: unknown, gte: 1}
    label: "{count} time(s) a request came under this address"

verdicts:
  - id: no-mapping
    when: unknown
    symptoms: [unknown]
    severity: warning
    confidence: likely
    message: "A request came for {url|an address}, which is not among the alternate access mappings; links on pages, in mails and in search results may name another address."

explain:
  what: A request came under an address that is not configured in the alternate access mappings of the web application (8214).
  why: Users, a load balancer or a monitoring program use another host name, port or scheme than the mappings have. SharePoint answers, but builds links with the address of the default zone. A probe of a load balancer that uses the server's own name is harmless.
  impact: Links may lead to an address that users cannot reach; forms, workflows and add-ins may refuse to work under the other address.

fix:
  - step: "See who uses the address (log of IIS, column cs-host), and which mappings there are: Get-SPAlternateURL."
    where: a web server, SharePoint Management Shell
    effect: none
    undo: none needed
  - step: "If users should use {url|the address}, add it to a zone that has no address yet: New-SPAlternateURL -WebApplication URL -Zone ZONE -Url {url|ADDRESS}; or extend the web application, if the zone needs its own site in IIS or its own way to sign in. With -Internal, the address joins a zone that has one."
    where: SharePoint Management Shell
    effect: for requests under it, links are built with the new address, or with -Internal with that of the zone
    undo: Remove-SPAlternateURL -Identity ADDRESS
verify: "Open the site under that address, then run: fastctl diagnose --rule FS1042 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "Happy SysAdm, Event ID 8214 (\"A request was made for a URL ... which has not been configured in Alternate Access Mappings\")"
    url: "http://www.happysysadm.com/2010/11/event-id-8214.html"
  - title: "Ramblings of a mad computer guy, SharePoint 2010, Alternate Access Mappings, Fully Qualified Domain Names (the text of the event)"
    url: "http://ramblingsofamadcomputerguy.blogspot.com/2012/12/"
  - title: "Microsoft, Configuring Alternate Access Mappings in SharePoint 2010 (extend the web application for a zone)"
    url: "https://support.microsoft.com/en-us/help/2624320/configuring-alternate-access-mappings-in-sharepoint-2010"

"""##

private let FS1043 = ##"""
schema: fastctl.rule/1
id: FS1043
slug: update-conflict-of-configuration-object
revision: 4
status: stable
title: A change to the farm's configuration is refused because of an update conflict
category: farm
tags: [sharepoint, configuration database, configuration cache, central administration]
per: object

select:
  conflict:
    # Rows 8xqz and 75bd follow each other; some pastes have run them together.
    event_id: ["75bd", "8xqz"]
    message|contains: "UpdatedConcurrencyException"
    message|contains|none: "SPUpgradeSession"
    capture: ["The object {object} was updated by", "The object {object} is being updated by"]
  told: # by whoever made the change: a page, a timer job (6398), a cmdlet
    level|gte: High
    message|contains: "An update conflict has occurred, and you must re-try this action. The object "
    message|contains|none: "SPUpgradeSession"
    capture: ["The object {object} was updated by", "The object {object} is being updated by"]
  upgrade: # the session of an upgrade, which no cache holds
    event_id: ["75bd", "8xqz"]
    message|contains|all: ["UpdatedConcurrencyException", "SPUpgradeSession"]
    capture: ["The object {object} was updated by", "The object {object} is being updated by"]
  wizard: # what psconfig says of the same
    level|gte: High
    message|contains|all: ["SPUpdatedConcurrencyException was thrown", "The object SPUpgradeSession "]
    capture: ["The object {object} was updated by", "The object {object} is being updated by"]

check:
  refused:
    count: {of: conflict, gte: 1}
    label: "{count} change(s) refused"
  told:
    count: {of: told, gte: 1}
    label: "{count} time(s) an update conflict ended what was being done"
  upgrade:
    count: {of: upgrade, gte: 1}
    label: "{count} change(s) to the session of an upgrade refused"
  wizard:
    count: {of: wizard, gte: 1}
    label: "{count} exception(s) told of the session of an upgrade"
  again:
    count: {of: conflict, gte: 3, within: 10m}
    label: "{count} change(s) refused in ten minutes or less"

verdicts:
  - id: update-conflict
    when: again
    symptoms: [refused]
    severity: error
    confidence: likely
    message: "Changes to {object|a configuration object} are refused again and again (update conflict): the configuration cache of a server may be out of step."
  - id: upgrade-session
    when: {any: [upgrade, wizard]}
    symptoms: [upgrade, wizard, refused]
    severity: warning
    confidence: likely
    message: "A change to {object|the session of an upgrade} was refused because of another change to it (update conflict). Mostly two upgrades met, or two threads of one."
  - id: one-conflict
    when: {any: [refused, told]}
    symptoms: [refused, told]
    severity: warning
    confidence: likely
    message: "A change to {object|a configuration object} is refused because the configuration database does not have the version that was read (update conflict). Mostly, either somebody else saved it first, and the next attempt mostly works, or the configuration cache of a server is stale, and it fails again."

explain:
  what: SharePoint tried to save a configuration object whose version in the configuration database is not the version that this server read.
  why: Either two people or jobs changed the same object at the same time, or the file system cache of a server is out of step with the configuration database, for instance after the database was restored. In the second case, every attempt fails. Most jobs try again by themselves, so a single row is a warning. The session of an upgrade (SPUpgradeSession) is changed by the configuration wizard; a conflict there mostly means that it runs twice, or that threads of one run collided.
  impact: The change is not saved at that moment. While the cache is out of step, no setting of that object can be changed on this server.

fix:
  - step: Let the configuration wizard or the upgrade run on one server at a time; see with Get-Process psconfig* that none is left, then start it again. Do not clear the configuration cache for this.
    where: all servers of the farm
    effect: the farm is offline while the wizard runs
    undo: none; an upgrade cannot be taken back
    when: upgrade-session
  - step: "If it comes again although only one runs, threads of the upgrade may collide: run it on one processor, without -force: start \"\" /affinity 1 psconfig.exe -cmd upgrade -inplace b2b -wait (from a command prompt, in the BIN folder of the hive)."
    where: the server that reports it
    effect: the farm is offline while the wizard runs, which takes longer
    undo: none; an upgrade cannot be taken back
    when: upgrade-session
  - step: Repeat the change once; if it is saved now, two changes collided and nothing else is wrong.
    where: where the change was made
    effect: none
    undo: change the setting back
    when: [update-conflict, one-conflict]
  - step: "If it is refused again, clear the configuration cache: stop the SharePoint timer service; in the folder with cache.ini below %ProgramData%\\Microsoft\\SharePoint\\Config delete the XML files (keep the folder and a copy of cache.ini), write 1 into cache.ini, and start the service again. Go on to the next server when cache.ini has another number."
    where: all servers of the farm, one after the other
    effect: timer jobs do not run until the service is started; the server reads its configuration again
    undo: the cache fills again by itself
    when: [update-conflict, one-conflict]
verify: "Repeat the change, then run: fastctl diagnose --rule FS1043 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "Microsoft, \"An update conflict has occurred, and you must retry this action\" when changing or deleting an alternate access mapping (rows 8xqz, 75bd)"
    url: "https://learn.microsoft.com/en-us/sharepoint/troubleshoot/security/update-conflict-when-modify-or-delete-alternate-access-mapping"

"""##

private let FS1044 = ##"""
schema: fastctl.rule/1
id: FS1044
slug: managed-account-password-not-changed
revision: 2
status: stable
title: The password of a managed account is not changed
category: services
tags: [sharepoint, managed account, password, ms16-101, kerberos]
supersedes: [FS1002]

select:
  # The frame of the call; each row is of one kind.
  no_controller: # since MS16-101, Windows no longer falls back to NTLM for a change of password
    - level|gte: High
      message|contains|all: ["SPNetApi32.NetUserChangePassword(", "cannot contact a domain controller to service the authentication request"]
    - event_id: 8nca
      message|contains|all: ["SPNetApi32.NetUserChangePassword(", "cannot contact a domain controller to service the authentication request"]
  other:
    - level|gte: High
      message|contains: "SPNetApi32.NetUserChangePassword("
      message|contains|none: "cannot contact a domain controller to service the authentication request"
    - event_id: 8nca
      message|contains: "SPNetApi32.NetUserChangePassword("
      message|contains|none: "cannot contact a domain controller to service the authentication request"

check:
  no_controller:
    count: {of: no_controller, distinct: request, gte: 1}
    label: "{count} attempt(s) failed because Windows says that it cannot contact a domain controller"
  other:
    count: {of: other, distinct: request, gte: 1}
    label: "{count} attempt(s) failed for another reason"

verdicts:
  - id: ntlm-not-allowed
    when: no_controller
    symptoms: [no_controller, other]
    severity: error
    confidence: likely
    message: "The password of a managed account was not changed: Windows says that it cannot contact a domain controller for it. Mostly it cannot use Kerberos here, and has not fallen back to NTLM since the update MS16-101."
  - id: refused
    when: other
    symptoms: [other]
    severity: warning
    confidence: likely
    message: "The password of a managed account was not changed; the message of the exception says why."

explain:
  what: Somebody, or the automatic change, gave a managed account a new password, and Windows refused it.
  why: Since the update MS16-101 of August 2016, Windows changes passwords by Kerberos only. If Kerberos is not possible from this server for that account, Windows says that it cannot contact a domain controller. Other refusals come from the domain's rules for passwords, the minimum age of a password, or a wrong current password.
  impact: The password stays as it is. If it is about to expire, the services that use the account stop then.

fix:
  - step: "Read the exception; if it speaks of rules, ask for the minimum age and the length: net accounts /domain (fine-grained policies are not among them)."
    where: the server that wrote the row
    effect: none
    undo: none needed
    when: refused
  - step: "Change the password in Active Directory, and tell SharePoint at once: Set-SPManagedAccount -Identity ACCOUNT -ExistingPassword (Read-Host -AsSecureString) -UseExistingPassword."
    where: Active Directory, then SharePoint Management Shell
    effect: between the two steps the services of the account may fail; SharePoint then gives them the new password and restarts them
    undo: set the former password in the same way, if the rules allow it
  - step: Install the Windows updates that followed MS16-101, and see that Kerberos works from this server to the account's domain (ports 88 and 464).
    where: all servers of the farm
    effect: servers are restarted
    undo: none needed
    when: ntlm-not-allowed
verify: "Change the password again, then run: fastctl diagnose --rule FS1044 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "The SharePoint Farm, MS16-101 prevents SharePoint from changing managed account passwords (stack with SPNetApi32.NetUserChangePassword)"
    url: "https://github.com/TheSharePointFarm/thesharepointfarm.github.io/blob/2b88bfe8d8/_posts/2016-09-01-ms16-101-prevents-sharepoint-from-changing-managed-account-passwords.md"
  - title: "Microsoft, Set-SPManagedAccount (UseExistingPassword)"
    url: "https://learn.microsoft.com/en-us/powershell/module/sharepoint-server/set-spmanagedaccount"

"""##

private let FS1045 = ##"""
schema: fastctl.rule/1
id: FS1045
slug: kerberos-encryption-type
revision: 2
status: stable
title: Kerberos gives no tickets because the encryption type is not supported
category: authentication
tags: [sharepoint, kerberos, aes, rc4, service accounts, search]
supersedes: [FS1002, FS1110, FS1026]

select:
  # The words of Windows for 0x80090342 (SEC_E_KDC_UNKNOWN_ETYPE).
  refused:
    - level|gte: High
      message|contains: ["encryption type requested is not supported by the KDC", "0x80090342"]
    - event_id: 8nca
      message|contains: ["encryption type requested is not supported by the KDC", "0x80090342"]

check:
  refused:
    count: {of: refused, gte: 1}
    label: "{count} call(s) failed because the domain controller refused a ticket"
  often:
    count: {of: refused, gte: 3, within: 1h}

verdicts:
  - id: encryption-type
    when: often
    symptoms: [refused]
    severity: error
    confidence: likely
    message: "Calls fail again and again because the domain controller gives no Kerberos ticket: it does not support the encryption type that is asked for. Mostly a service account is not ready for AES."
  - id: encryption-type-once
    when: refused
    symptoms: [refused]
    severity: warning
    confidence: likely
    message: "A call failed because the domain controller gave no Kerberos ticket: it does not support the encryption type that was asked for. Mostly a service account is not ready for AES."

explain:
  what: A SharePoint process asked a domain controller for a Kerberos ticket to call another service, and the domain controller knows no encryption type that both sides allow.
  why: Servers or the domain allow AES only, by policy or since the Windows updates of April 2026, by which domain controllers no longer assume RC4 for accounts that name no type. Mostly the service account is not marked for AES in Active Directory, or its password is older than the AES keys of the domain, so that it has none. It is no failure of SharePoint. The text is recognized in English; other languages only with the number 0x80090342.
  impact: Managed accounts, search administration, profile synchronization and other calls between services fail; search may stop.

fix:
  - step: "See what the accounts of the application pools and services allow: Get-ADUser ACCOUNT -Properties msDS-SupportedEncryptionTypes, PasswordLastSet (24 is AES 128 and 256)."
    where: a computer with the Active Directory module
    effect: none
    undo: none needed
  - step: "See what the server allows: the policy Network security: Configure encryption types allowed for Kerberos (secpol.msc, or gpresult /h FILE)."
    where: the server that wrote the row
    effect: none
    undo: none needed
  - step: "If the password is older than the domain's AES keys, change it first, as a managed account. Then mark the accounts for AES (Set-ADUser ACCOUNT -KerberosEncryptionType AES128,AES256), and restart the services, or run klist purge for them."
    where: Active Directory, then each server
    effect: the account gets no tickets of RC4 any more, and none at all if it has no AES keys; tickets that were given keep their type until they expire; the change of the password restarts its services
    undo: set the former value of msDS-SupportedEncryptionTypes
verify: "Open the search administration page, then run: fastctl diagnose --rule FS1045 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "Stefan Goßner (Microsoft), Kerberos failures in SharePoint and other applications starting April 2026 (\"The encryption type requested is not supported by the KDC\")"
    url: "https://blog.stefan-gossner.com/2026/04/23/trending-issues-kerberos-failures-in-sharepoint-and-other-applications-starting-april-2026/"
  - title: "Microsoft, Configuration requirements to support Kerberos AES encryption (KB 4501051; the row in ULS)"
    url: "https://learn.microsoft.com/en-us/sharepoint/troubleshoot/security/configuration-to-support-kerberos-aes-encryption"
  - title: "Peter Paul Kirschner, SharePoint Search fails after April 2026 updates with KDC encryption error"
    url: "https://www.petkir.at/blog/sponpremisekdc"

"""##

private let FS1046 = ##"""
schema: fastctl.rule/1
id: FS1046
slug: sql-server-connection-fails
revision: 3
status: stable
title: A process cannot connect to SQL Server or open a database
category: database
tags: [sharepoint, sql server, login, availability group, connection]
supersedes: [FS1002]
# A server that does not answer names neither; what is refused names the database, the login or both. So one failure is not
# told under the name of another.
per: [database, login]

select:
  # Row 5586 names the error number, which is never translated; exceptions name it in words.
  unreachable:
    - event_id: "5586"
      message|contains: ["SQL Exception 53 ", "SQL Exception 10060 ", "SQL Exception 10061 ", "SQL Exception 11001 "]
      capture: ["Initial Catalog={database};", "for user '{login}'"]
    - event_id: "3355" # Cannot connect to SQL Server
      capture: ["Initial Catalog={database};", "for user '{login}'"]
    - level|gte: High
      message|contains|all: ["SqlException", "network-related or instance-specific error"]
      capture: ["Initial Catalog={database};", "for user '{login}'"]
    - event_id: 8nca
      message|contains: "network-related or instance-specific error"
      capture: ["Initial Catalog={database};", "for user '{login}'"]
  secondary: # 976 and 983: the replica is not the one that serves the database
    - event_id: "5586"
      message|contains: ["SQL Exception 976 ", "SQL Exception 983 "]
      capture: ["database, '{database}', is participating", "database '{database}' because its database replica", "for user '{login}'"]
    - level|gte: High
      message|contains|all: ["SqlException", "participating in an availability group and is currently not accessible"]
      capture: ["database, '{database}', is participating", "for user '{login}'"]
  not_opened:
    - event_id: "5586"
      message|contains: "SQL Exception 4060 "
      capture: ['Cannot open database "{database}" requested', "for user '{login}'"]
    - event_id: "3760"
      capture: ["SQL Database '{database}' on SQL Server instance", "for user '{login}'"]
    - level|gte: High
      message|contains|all: ["SqlException", 'Cannot open database "']
      capture: ['Cannot open database "{database}" requested', "for user '{login}'"]
    - level|gte: High # rows of an upgrade leave out the type
      message|contains: 'Exception: Cannot open database "'
      capture: ['Cannot open database "{database}" requested', "for user '{login}'"]
    - event_id: 8nca
      message|contains: 'Cannot open database "'
      capture: ['Cannot open database "{database}" requested', "for user '{login}'"]
  refused: # 18456 without the name of a database
    - event_id: "5586"
      message|contains: "SQL Exception 18456 "
      message|contains|none: "ANONYMOUS LOGON"
      capture: ["for user '{login}'", "explicitly specified database '{database}'"]
    - level|gte: High
      message|contains|all: ["SqlException", "Login failed for user '"]
      message|contains|none: ['Cannot open database "', "ANONYMOUS LOGON"]
      capture: ["for user '{login}'", "explicitly specified database '{database}'"]

check:
  unreachable:
    count: {of: unreachable, gte: 1}
    label: "{count} time(s) there was no connection to SQL Server"
  unreachable_often:
    count: {of: unreachable, gte: 3, within: 10m}
  secondary:
    count: {of: secondary, gte: 1}
    label: "{count} time(s) the replica of an availability group did not serve the database"
  secondary_often:
    count: {of: secondary, gte: 3, within: 10m}
  not_opened:
    count: {of: not_opened, gte: 1}
    label: "{count} time(s) a database could not be opened"
  not_opened_often:
    count: {of: not_opened, gte: 3, within: 10m}
  refused:
    count: {of: refused, gte: 1}
    label: "{count} time(s) SQL Server refused the login"
  refused_often:
    count: {of: refused, gte: 3, within: 10m}

verdicts:
  - id: server-unreachable
    when: unreachable_often
    symptoms: [unreachable, secondary, not_opened, refused]
    severity: error
    confidence: likely
    message: "A process on this server gets no connection to SQL Server, again and again. Mostly its name or alias is wrong, the instance does not run, or a port is closed."
  - id: replica-not-serving
    when: secondary_often
    symptoms: [unreachable, secondary, not_opened, refused]
    severity: error
    confidence: likely
    message: "Database {database|(not logged)} is in an availability group, and the replica that was asked does not serve it, again and again (976 or 983). Mostly SharePoint is connected to a secondary replica, or data movement is suspended."
  - id: database-not-opened
    when: not_opened_often
    symptoms: [unreachable, not_opened, refused]
    severity: error
    confidence: likely
    message: "Database {database|(not logged)} cannot be opened by {login|an account}, again and again. Mostly it is gone, offline or renamed, or the account has no user in it."
  - id: login-refused
    when: refused_often
    symptoms: [unreachable, refused]
    severity: error
    confidence: likely
    message: "SQL Server refuses the login of {login|an account}, again and again (mostly 18456)."
  - id: server-unreachable-once
    when: unreachable
    symptoms: [unreachable, secondary, not_opened, refused]
    severity: warning
    confidence: likely
    message: "A process on this server got no connection to SQL Server. Mostly its name was not found, it did not answer in time, or it did not listen."
  - id: replica-not-serving-once
    when: secondary
    symptoms: [secondary, not_opened, refused]
    severity: warning
    confidence: likely
    message: "Database {database|(not logged)} is in an availability group, and the replica that was asked did not serve it (976 or 983), as while it fails over."
  - id: database-not-opened-once
    when: not_opened
    symptoms: [not_opened, refused]
    severity: warning
    confidence: likely
    message: "Database {database|(not logged)} was not opened for {login|an account}. Mostly it is gone, offline or renamed, or the account has no user in it."
  - id: login-refused-once
    when: refused
    symptoms: [refused]
    severity: warning
    confidence: likely
    message: "SQL Server refused the login of {login|an account} (mostly 18456)."

explain:
  what: SharePoint opened a connection to SQL Server, and did not get one, or not to the database that it asked for.
  why: The four forms have different causes. Not found means a wrong name or alias, a stopped instance, a closed port or no network. Error 976 or 983 means that the connection reached a replica of an availability group that does not serve the database. Error 4060 means that the database is gone, offline, being restored or renamed, or that the account has no user in it; a database that Get-SPDatabase lists although it was deleted gives such rows for years and affects nobody. Error 18456 alone means that SQL Server does not know or accept the account; its own log has a state that says why. A single row of a server that did not answer, or of a replica, is no failure if nothing follows, because SharePoint connects again; a login that is refused, or a database that it may not open, stays so. Numbers are recognized in any language, the words of an exception in English.
  impact: Requests that need the database end with an error page; if it is the configuration database, all requests on this server do.

fix:
  - step: "See whether this server reaches the instance: Test-NetConnection SERVER -Port 1433, and read the aliases with cliconfg.exe (both 32-bit and 64-bit)."
    where: the server that wrote the row
    effect: none
    undo: none needed
    when: [server-unreachable, server-unreachable-once]
  - step: Start the instance, correct the alias or the name server, or open the port of the instance.
    where: SQL Server, or the network between
    effect: what else uses the instance, the name or the port is affected as well
    undo: restore the former value
    when: server-unreachable
  - step: "Ask SQL Server where the primary replica is: SELECT * FROM sys.dm_hadr_availability_replica_states; SharePoint must connect to the listener, not to a replica."
    where: SQL Server
    effect: none
    undo: none needed
    when: [replica-not-serving, replica-not-serving-once]
  - step: "Compare Get-SPDatabase | Select Name, Server, Exists, Status with SELECT name, state_desc FROM sys.databases."
    where: SharePoint Management Shell and SQL Server
    effect: none
    undo: none needed
    when: [database-not-opened, database-not-opened-once]
  - step: "If {database|the database} is there and online, see whose account {login|the account} is and whether it should open the database: whoever runs an upgrade needs a login with rights in each database, the account of a service application has them from SharePoint: (Get-SPWebApplication URL).GrantAccessToProcessIdentity('ACCOUNT') for content databases."
    where: SharePoint Management Shell
    effect: the account gets Full Control of all sites of the web application (a user policy), and may read and write its content databases
    undo: remove the account's policy and its users in these databases
    when: [database-not-opened, database-not-opened-once]
  - step: "If {database|the database} is offline, bring it online; if it was deleted on purpose, remove its record with (Get-SPDatabase ID).Delete()."
    where: SQL Server; the record in SharePoint Management Shell
    effect: a record that is deleted is gone from the farm
    undo: mount the database again from a backup
    when: database-not-opened
  - step: "Read the state of error 18456 in SQL Server's error log: EXEC sp_readerrorlog 0, 1, 'Login failed'."
    where: SQL Server
    effect: none
    undo: none needed
    when: [login-refused, login-refused-once]
  - step: "If {login|the account} should have a login and has none, give it one; if its password is wrong, correct it where the service runs."
    where: SQL Server, or the server that runs the service
    effect: the account can sign in to SQL Server
    undo: remove the login
    when: [login-refused, login-refused-once]
verify: "Open a page of the affected site, then run: fastctl diagnose --rule FS1046 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "Jeremy Jameson, \"The workbook cannot be opened\" error with SharePoint Server 2010 and TFS 2010 (event 3760 for the account of Excel Services, and GrantAccessToProcessIdentity)"
    url: "https://github.com/technology-toolbox/website"
  - title: "Microsoft, Connectivity issues if delegation is misconfigured (KB 2443455: \"Login failed for user 'NT AUTHORITY\\ANONYMOUS LOGON'\", which is left to FS1116)"
    url: "https://support.microsoft.com/en-us/help/2443455/"
  - title: "Microsoft, Database could not be accessed, Event 3760 (\"SQL Database '<database name>' on SQL Server instance '<instance name>' not found\")"
    url: "https://docs.microsoft.com/en-us/previous-versions/office/sharepoint-server-2010/ee513043(v%3Doffice.14)"
  - title: "Sam Betts, SharePoint + SQL Server AlwaysOn: Outage Troubleshooting (5586, \"Unknown SQL Exception 10060 occurred\", \"Unknown SQL Exception 976 occurred\")"
    url: "https://docs.microsoft.com/en-us/archive/blogs/sambetts/sharepoint-sql-server-alwayson-outage-troubleshooting"
  - title: "Bill Baer, Intermittent Database Server Connectivity and SharePoint (events 3760, 3355 and 5586)"
    url: "https://wbaer.net/2009/10/intermittent-database-server-connectivity-and-microsoft-sharepoint-products-and-technologies/"

"""##

private let FS1047 = ##"""
schema: fastctl.rule/1
id: FS1047
slug: sql-deadlock-victim
revision: 4
status: stable
title: SQL Server ended a query as a deadlock victim
category: database
tags: [sharepoint, sql server, deadlock, project server]
supersedes: [FS1002]

select:
  deadlock:
    # 1205 is SQL Server's error number for a deadlock victim.
    - event_id: "6f8g" # 2007
      message|contains: "error code 1205."
      capture: "=call {procedure}("
    - event_id: "5586" # 2010 and later
      category: Database
      message|contains: "SQL Exception 1205 "
    - category: Database # 2010 and later: the errors of a query, under several events
      level|gte: High
      message|re: "Number: 1205 State: [0-9]+ Class:"
      capture: "Procedure: '{procedure}'"
    - level|gte: High # an exception, wherever it ends up
      message|contains|all: ["SqlException", "chosen as the deadlock victim"]

check:
  victims:
    count: {of: deadlock, gte: 1}
    label: "{count} row(s) tell of a query that was rolled back"
  often:
    count: {of: deadlock, gte: 10, within: 10m}
    label: "{count} row(s) in ten minutes or less"

verdicts:
  - id: deadlocks
    when: often
    symptoms: [victims]
    severity: error
    confidence: likely
    message: "SQL Server ends queries as deadlock victims again and again (error 1205), the first in {procedure|a query}; their changes are rolled back."
  - id: deadlock
    when: victims
    symptoms: [victims]
    severity: warning
    confidence: likely
    message: "SQL Server ended {procedure|a query} as a deadlock victim (error 1205); its changes were rolled back. Whether the caller tried again, the row does not say."

explain:
  what: Two transactions waited for each other's locks, and SQL Server rolled one of them back. SharePoint reports the error. Many jobs and procedures repeat the query, but the row does not say whether this one did.
  why: Jobs that change permissions of many sites at the same time are a known cause, in particular those of Project Server that synchronize the permissions of workspaces. Other long transactions on the same content database do the same. The text around the number is English in all known rows.
  impact: Where nobody repeats the query, what it should have changed is not changed, or only in part; permissions of users may be incomplete.

fix:
  - step: Find out which jobs run at the times of the rows, and run fewer of them at a time.
    where: timer job schedules in Central Administration; the queue of Project Server
    effect: the jobs take longer when they run one after the other
    undo: restore the schedules
  - step: Repeat the action that was rolled back, such as the synchronization of the workspace's permissions.
    where: where it was started
    effect: what was rolled back is done
    undo: none needed
  - step: If the deadlocks persist, have SQL Server record them (the system_health session does) to see what the other side is.
    where: SQL Server
    effect: none
    undo: none needed
verify: "Repeat the action, then run: fastctl diagnose --rule FS1047 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "Alex Angas, Workspace permissions, part 2: \"Access Denied\" (row 6f8g, error code 1205 of proc_SecAddPrincipalToRole)"
    url: "https://github.com/alexangas/arangas.github.io/blob/d804ff62d3/blog/2008/11/workspace-permissions-part-2-access-denied.html"

"""##

private let FS1048 = ##"""
schema: fastctl.rule/1
id: FS1048
slug: slow-query
revision: 2
status: stable
title: Database queries are slow
category: database
tags: [sharepoint, sql-server, performance]

select:
  slow_query:
    event_id: fa43
    capture: "Slow Query Duration: {duration}"
  very_slow: # ten seconds or more, in any language
    event_id: fa43
    message|re: ': [0-9]{5,9}([.,][0-9]+)?$'
  connection:
    event_id: tzku
    level|gte: High # below, each query is logged
    capture: "Data Source={database_server};Initial Catalog={database};"
  statement:
    event_id: tzkv
    level|gte: High
    capture: "SqlCommand: '{statement}'"

check:
  # This one first, so that the duration in the message is that of the located query.
  located:
    sequence: {steps: [slow_query, connection, statement], by: request, within: 10s}
  often:
    count: {of: slow_query, gte: 10, within: 10m}
    label: "{count} queries of a second or more, ten of them within ten minutes"
  very_slow:
    count: {of: very_slow, gte: 1}
    label: "{count} queries of ten seconds or more"

verdicts:
  - id: located
    when: {all: [located, {any: [often, very_slow]}]}
    symptoms: [often, very_slow]
    severity: warning
    confidence: likely
    message: "Database queries were slow; the first whose database is known took {duration|(not logged)} ms in {database} on {database_server}: {statement}."
  - id: slow
    when: {any: [often, very_slow]}
    symptoms: [often, very_slow]
    severity: warning
    confidence: likely
    message: "Database queries were slow; the first took {duration|(not logged)} ms."

explain:
  what: >-
    SharePoint waited a long time for SQL Server and logged the duration in milliseconds (fa43), the stack (fa44), the
    connection (tzku) and the statement (tzkv). A row is written from one second on, and a healthy farm has some; this
    counts ten within ten minutes, or one of ten seconds.
  why: >-
    Causes vary: outdated statistics of the content database, locks by a backup or a crawl, a list or web part that asks
    for too much, custom code, a busy SQL Server, or a parallel query plan although the maximum degree of parallelism
    should be 1.
  impact: Users wait for pages; when many queries are slow, requests time out.

fix:
  - step: Use fastctl logs slow LOGS to see which requests waited, and whether it is always the same database or page.
  - step: Update the statistics of the database with FULLSCAN, from a maintenance plan of SQL Server.
    where: SQL Server, the database that the finding names
    effect: the database is slower while it runs; choose a quiet hour
    undo: none needed
  - step: If the maximum degree of parallelism is not 1, set it to 1, as SharePoint requires.
    where: SQL Server, the instance of the farm
    effect: takes effect at once for all databases of the instance, also those of other programs, and empties its plan cache
    undo: set the previous value
  - step: If the stack in fa44 has frames of other code, have that code read less.
verify: fastctl diagnose --rule FS1048 --since TIME-OF-THE-CHANGE LOGS must find nothing, at a time of day when users are working.

references:
  - title: "Published log of Microsoft's Tx: fa43 \"Slow Query Duration: 2238.73249042855\", fa44, tzku, tzkv of one request"
    url: https://github.com/microsoft/Tx/blob/HEAD/Traces/ULS.log
  - title: Outdated database statistics decrease SharePoint Server performance, cause time-outs, and generate run-time errors
    url: https://support.microsoft.com/en-us/kb/3103194

"""##

private let FS1049 = ##"""
schema: fastctl.rule/1
id: FS1049
slug: sql-permission-denied-on-object
revision: 4
status: stable
title: SQL Server denies access to a database object
category: database
tags: [sharepoint, sql server, permissions, rbs, project server, workflow manager]
per: [permission, object]

select:
  # The text of SQL Server, as its exception or in a row of the category Database; under which event it comes varies.
  rbs: # an object of Remote BLOB Storage
    - level|gte: High
      message|contains|all: ["SqlException", "permission was denied on the object '"]
      message|contains: ["schema 'mssqlrbs'"]
      capture: [": The {permission} permission was denied on the object '{object}'", "The {permission} permission was denied on the object '{object}'", "', database '{database}'", "', schema '{schema}'"]
    - category: Database # or a message alone, as somebody quoted it
      level|gte: High
      message|contains|all: "permission was denied on the object '"
      message|contains: ["schema 'mssqlrbs'"]
      capture: [": The {permission} permission was denied on the object '{object}'", "The {permission} permission was denied on the object '{object}'", "', database '{database}'", "', schema '{schema}'"]
  project: # an object of Project Server
    - level|gte: High
      message|contains|all: ["SqlException", "permission was denied on the object '"]
      message|contains: ["schema 'pjpub'", "schema 'pjdraft'", "schema 'pjrep'", "schema 'pjver'"]
      capture: [": The {permission} permission was denied on the object '{object}'", "The {permission} permission was denied on the object '{object}'", "', database '{database}'", "', schema '{schema}'"]
    - category: Database # or a message alone, as somebody quoted it
      level|gte: High
      message|contains|all: "permission was denied on the object '"
      message|contains: ["schema 'pjpub'", "schema 'pjdraft'", "schema 'pjrep'", "schema 'pjver'"]
      capture: [": The {permission} permission was denied on the object '{object}'", "The {permission} permission was denied on the object '{object}'", "', database '{database}'", "', schema '{schema}'"]
  workflow: # an object of Workflow Manager
    - level|gte: High
      message|contains|all: ["SqlException", "permission was denied on the object '"]
      message|contains: ["object 'InsertTrackingAndStatus'", "database 'WFManagementDB", "database 'WFInstanceManagementDB", "database 'WFResourceManagementDB"]
      capture: [": The {permission} permission was denied on the object '{object}'", "The {permission} permission was denied on the object '{object}'", "', database '{database}'", "', schema '{schema}'"]
    - category: Database # or a message alone, as somebody quoted it
      level|gte: High
      message|contains|all: "permission was denied on the object '"
      message|contains: ["object 'InsertTrackingAndStatus'", "database 'WFManagementDB", "database 'WFInstanceManagementDB", "database 'WFResourceManagementDB"]
      capture: [": The {permission} permission was denied on the object '{object}'", "The {permission} permission was denied on the object '{object}'", "', database '{database}'", "', schema '{schema}'"]
  denied: # any other
    - level|gte: High
      message|contains|all: ["SqlException", "permission was denied on the object '"]
      message|contains|none: ["schema 'mssqlrbs'", "schema 'pjpub'", "schema 'pjdraft'", "schema 'pjrep'", "schema 'pjver'", "object 'InsertTrackingAndStatus'", "database 'WFManagementDB", "database 'WFInstanceManagementDB", "database 'WFResourceManagementDB"]
      capture: [": The {permission} permission was denied on the object '{object}'", "The {permission} permission was denied on the object '{object}'", "permission was denied on the object '{object}'", "', database '{database}'", "', schema '{schema}'"]
    - category: Database
      level|gte: High
      message|contains: "permission was denied on the object '"
      message|contains|none: ["schema 'mssqlrbs'", "schema 'pjpub'", "schema 'pjdraft'", "schema 'pjrep'", "schema 'pjver'", "object 'InsertTrackingAndStatus'", "database 'WFManagementDB", "database 'WFInstanceManagementDB", "database 'WFResourceManagementDB"]
      capture: [": The {permission} permission was denied on the object '{object}'", "The {permission} permission was denied on the object '{object}'", "permission was denied on the object '{object}'", "', database '{database}'", "', schema '{schema}'"]
  quoted: # any other row may only tell of it
    area|exists: true
    category|none: Database
    level|gte: High
    message|contains: "permission was denied on the object '"
    message|contains|none: "SqlException"
    capture: [": The {permission} permission was denied on the object '{object}'", "The {permission} permission was denied on the object '{object}'", "permission was denied on the object '{object}'", "', database '{database}'", "', schema '{schema}'"]

check:
  refused:
    count: {of: denied, gte: 1}
    label: "{count} time(s) a query was refused"
  quoted:
    count: {of: quoted, gte: 1}
    label: "{count} other row(s) with the text of SQL Server"
  rbs:
    count: {of: rbs, gte: 1}
    label: "{count} time(s) a query of an object of Remote BLOB Storage was refused"
  project:
    count: {of: project, gte: 1}
    label: "{count} time(s) a query of an object of Project Server was refused"
  workflow:
    count: {of: workflow, gte: 1}
    label: "{count} time(s) a query of an object of Workflow Manager was refused"

verdicts:
  - id: remote-blobs
    when: rbs
    symptoms: [rbs, quoted, refused]
    severity: error
    confidence: likely
    message: "SQL Server denies {permission|a permission} on {object} (schema {schema|not logged}, first in database {database|not logged}), which belongs to Remote BLOB Storage."
  - id: project-server
    when: project
    symptoms: [project, quoted, refused]
    severity: error
    confidence: likely
    message: "SQL Server denies {permission|a permission} on {object} (schema {schema|not logged}, first in database {database|not logged}), which belongs to Project Server."
  - id: workflow-manager
    when: workflow
    symptoms: [workflow, quoted, refused]
    severity: error
    confidence: likely
    message: "SQL Server denies {permission|a permission} on {object} (schema {schema|not logged}, first in database {database|not logged}), which belongs to Workflow Manager."
  - id: permission-denied
    when: refused
    symptoms: [refused, quoted]
    severity: error
    confidence: likely
    message: "SQL Server denies {permission|a permission} on {object} (schema {schema|not logged}, first in database {database|not logged})."
  - id: permission-quoted
    when: quoted
    symptoms: [quoted]
    severity: warning
    confidence: likely
    message: "A row says that SQL Server denies {permission|a permission} on {object} (schema {schema|not logged}, first in database {database|not logged}), but it is not SQL Server's own error."

explain:
  what: An account logged in to SQL Server, but may not use a table, view, procedure or function that it needs.
  why: The account is not a member of the database role that grants the right, dbo of the database is mapped to an account other than the one expected, or an update brought new objects that were never granted to the role. Objects in schema mssqlrbs belong to Remote BLOB Storage; those in pjdraft, pjpub, pjrep and pjver to Project Server; the databases WFManagementDB, WFInstanceManagementDB and WFResourceManagementDB to Workflow Manager, whose role is WFServiceOperators. The text is SQL Server's in English; a log in which SQL Server writes another language is not recognized. A row of another category that is no exception of SQL Server may only quote the text; if there are only such rows, the finding is a warning.
  impact: What needs the object fails, for instance opening documents that are stored as remote BLOBs, the upgrade of a content database, or workflows.

fix:
  - step: "See who has which role in {database|the database of the object}: SELECT r.name, m.name FROM sys.database_role_members x JOIN sys.database_principals r ON r.principal_id = x.role_principal_id JOIN sys.database_principals m ON m.principal_id = x.member_principal_id."
    where: SQL Server, that database
    effect: none
    undo: none needed
  - step: "See to whom the object is granted: SELECT p.name, d.permission_name, d.state_desc FROM sys.database_permissions d JOIN sys.database_principals p ON p.principal_id = d.grantee_principal_id WHERE d.major_id = OBJECT_ID('{schema|dbo}.{object|OBJECT}')."
    where: SQL Server, that database
    effect: none
    undo: none needed
    when: [permission-denied, permission-quoted, workflow-manager]
  - step: "Make the account of the application pool a member of the roles db_rbs_reader, db_rbs_writer and any other db_rbs_* role that it needs in {database|the database}."
    where: SQL Server, the named content database
    effect: the account may read and write the remote BLOBs of the database
    undo: remove the account from the roles
    when: remote-blobs
  - step: "If the upgrade of the content database failed, map dbo of {database|the database} to the account of the farm and run the configuration wizard again."
    where: SQL Server, then each server on which the wizard failed
    effect: the account that was dbo loses its rights as such; the farm is offline while the wizard runs
    undo: map dbo back to its previous account
    when: project-server
  - step: "Compare {object|the object} with other procedures of the database: if they are granted to the role WFServiceOperators and it is not, as after an update of Workflow Manager, grant it to the role too: GRANT EXECUTE ON {object|OBJECT} TO WFServiceOperators; then restart the services of Workflow Manager."
    where: SQL Server, the database of Workflow Manager
    effect: the service account of Workflow Manager may run the procedure; workflows wait while the services restart
    undo: revoke it from the role
    when: workflow-manager
  - step: "Find out which account was refused (SQL Server's log or a trace), and give it the role that the product grants for this; do not grant rights on single objects."
    where: SQL Server
    effect: the account has the rights of the role in that database
    undo: remove the account from the role
    when: [permission-denied, permission-quoted, project-server]
verify: "Repeat the action, then run: fastctl diagnose --rule FS1049 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "The SharePoint Farm, SharePoint Server 2016 Project Server public update issue (\"The SELECT permission was denied on the object 'MSP_PROJECTS', database ..., schema 'pjpub'\")"
    url: "https://github.com/TheSharePointFarm/thesharepointfarm.github.io/blob/2b88bfe8d8/_posts/2020-01-22-sharepoint-2016-project-server-update-issue.md"
  - title: "Microsoft, Something went wrong error in Excel web parts (\"The EXECUTE permission was denied on the object 'rbs_fn_get_blob_reference', database ..., schema 'mssqlrbs'\")"
    url: "https://github.com/MicrosoftDocs/OfficeDocs-Support/blob/36878e0e10/SharePoint/SharePointExperts/web-parts/something-went-wrong-error-in-excel-web-parts.md"
  - title: "ranaictiu, Workflow Manager after its update of February 2013 (\"The EXECUTE permission was denied on the object 'InsertTrackingAndStatus'\", role WFServiceOperators)"
    url: "http://ranaictiu-technicalblog.blogspot.com/2013_02_01_archive.html"

"""##

private let FS1050 = ##"""
schema: fastctl.rule/1
id: FS1050
slug: list-view-threshold
revision: 1
status: stable
title: An operation on a list is refused because it exceeds a threshold
category: lists
tags: [sharepoint, list view threshold, lookup columns, throttling]
supersedes: [FS1002]

select:
  # 0x80070093 comes from too many lookup columns, 0x80070024 from too many items.
  lookups:
    - level|gte: High
      message|contains: ["0x80070093", "-2147024749"]
    - event_id: 8nca
      message|contains: ["0x80070093", "lookup column threshold"]
  too_many:
    - level|gte: High
      message|contains: ["SPQueryThrottledException", "-2147024860"]
      message|contains|none: ["0x80070093", "-2147024749"]
    - event_id: 8nca
      message|contains: ["SPQueryThrottledException", "exceeds the list view threshold"]
      message|contains|none: ["0x80070093", "lookup column threshold"]

check:
  too_many:
    count: {of: too_many, distinct: request, gte: 1}
    label: "{count} request(s) asked for more items than one query may touch"
  too_many_often:
    count: {of: too_many, distinct: request, gte: 10}
  lookups:
    count: {of: lookups, distinct: request, gte: 1}
    label: "{count} request(s) used more lookup columns than one query may join"
  lookups_often:
    count: {of: lookups, distinct: request, gte: 10}

verdicts:
  - id: threshold-often
    when: too_many_often
    symptoms: [too_many, lookups]
    severity: error
    confidence: likely
    message: "Operations on lists are refused again and again because they exceed a threshold, mostly the list view threshold (0x80070024): they touch more items than it allows."
  - id: lookups-often
    when: lookups_often
    symptoms: [too_many, lookups]
    severity: error
    confidence: likely
    message: "Requests for a list are refused again and again: the query joins more lookup columns than the web application allows (0x80070093)."
  - id: threshold
    when: too_many
    symptoms: [too_many, lookups]
    severity: warning
    confidence: likely
    message: "An operation on a list was refused because it exceeds a threshold, mostly the list view threshold (0x80070024): it touches more items than that allows."
  - id: lookups
    when: lookups
    symptoms: [lookups]
    severity: warning
    confidence: likely
    message: "A query was refused because it joins more lookup columns than the web application allows (0x80070093)."

explain:
  what: A view, a web part, a program or a workflow asked for list items, and SharePoint refused because the query is too large for the database.
  why: A query that filters or sorts by a column without an index touches all items of the list, however few it returns; from 5,000 items on (by default) it is refused. A view that shows more than twelve lookup, person or workflow status columns (8 in older versions and builds) is refused as well. Both limits protect all users of the database.
  impact: The view, web part or program shows an error instead of items. Other lists are not affected.

fix:
  - step: "Find the list: fastctl logs trace CORRELATION shows the page of the request."
    where: the logs
    effect: none
    undo: none needed
  - step: "See the limits: Get-SPWebApplication URL | Select MaxItemsPerThrottledOperation, MaxQueryLookupFields."
    where: SharePoint Management Shell
    effect: none
    undo: none needed
  - step: Add an index on the column that the view filters by first (list settings, Indexed columns), and filter so that fewer items than the threshold remain; folders and metadata navigation help as well.
    where: the settings of the list; above the threshold, in the daily time window for large queries
    effect: building the index takes a while on a large list
    undo: remove the index
    when: [threshold-often, threshold]
  - step: Remove lookup, person and workflow status columns from the view until no more than the limit are left; those of the query's filter count as well.
    where: the settings of the view
    effect: the view shows fewer columns
    undo: add the columns again
    when: [lookups-often, lookups]
  - step: Do not raise the threshold for good; queries that touch more items lock the whole table and slow down everybody.
    where: Central Administration, resource throttling of the web application
    effect: none
    undo: none needed
verify: "Open the view as an affected user, then run: fastctl diagnose --rule FS1050 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "Sowmyan Soman, SharePoint List Throttling & Indexed Columns (\"exceeds the list view threshold ... 0x80070024\" in ULS, a column without an index)"
    url: "https://docs.microsoft.com/en-us/archive/blogs/sowmyancs/sharepoint-list-throttling-indexed-columns"
  - title: "Microsoft, SPQueryThrottledException class"
    url: "https://learn.microsoft.com/en-us/previous-versions/office/sharepoint-server/ee570450(v=office.15)"
  - title: "Microsoft, Software boundaries and limits for SharePoint Servers (list view threshold, list view lookup threshold)"
    url: "https://learn.microsoft.com/en-us/sharepoint/install/software-boundaries-limits-2019"

"""##

private let FS1051 = ##"""
schema: fastctl.rule/1
id: FS1051
slug: upgrade-of-database-fails
revision: 3
status: stable
title: An object of the farm is not upgraded
category: updates
tags: [sharepoint, upgrade, psconfig, schema version, search administration, reporting services]

select:
  too_new:
    event_id: ajyxu
    message|contains: "Upgrade object too new"
    capture: ["Current versions: (build version = {build}, schema version = {current})", "Target versions: (build version = {software}, schema version = {target})", "Current versions: (build version = {build},"]
  search_admin:
    event_id: an59t
    message|contains: "SearchAdminDatabase"
  reporting: # types of Reporting Services have nothing to upgrade
    event_id: fbv7
    message|contains|all: ["Cannot upgrade [", "Microsoft.ReportingServices."]

check:
  too_new:
    count: {of: too_new, gte: 1}
    label: "{count} time(s) a database was newer than the software"
  search_admin:
    count: {of: search_admin, gte: 1}
    label: "{count} time(s) the search administration database was not upgraded"
  reporting:
    count: {of: reporting, gte: 1}
    label: "{count} row(s) about Reporting Services, which mean nothing"

verdicts:
  - id: too-new
    when: too_new
    symptoms: [too_new, search_admin, reporting]
    severity: error
    confidence: likely
    message: "A database or another object is newer than the software of this server can upgrade (schema {current|not logged}, the software knows {target|not logged}; object of build {build|not logged}, software of build {software|not logged})."
  - id: search-administration
    when: search_admin
    symptoms: [search_admin, reporting]
    severity: error
    confidence: likely
    message: "The upgrade of the search administration database failed; the rows that follow mostly name the statement that failed."
  - id: reporting-services
    when: reporting
    symptoms: [reporting]
    severity: info
    confidence: likely
    message: "The upgrade says that objects of Reporting Services cannot be upgraded. They have nothing to upgrade; the row can be ignored."

explain:
  what: An upgrade, or a check whether one is needed, looked at a database or another object and did not upgrade it.
  why: Each database has a schema version. If it is newer than the one of the software, the database comes from a farm with later updates; that also happens between versions, when an update of the old version raised the schema after the new version was built. A known case with the search administration database is the update of July 2018 for SharePoint 2016, which makes the farm account the owner of the databases of search; SQL Server refuses that where the account already is a user of the database, and search works nevertheless. Types of Reporting Services have no upgrade sequence, so that the wizard says that some sites are not completely upgraded although nothing is missing.
  impact: What is in the database is not available, or the farm stays in an upgrade that is not complete.

fix:
  - step: "Compare the schema versions in the row, and what is installed: (Get-SPFarm).BuildVersion, and Get-SPProduct for what the farm knows of its servers (without -Local, which also writes to the configuration database)."
    where: SharePoint Management Shell
    effect: none
    undo: none needed
    when: too-new
  - step: Install an update that knows the newer schema (for Secure Store in SharePoint 2016, November 2017 or later) on all servers, and run the configuration wizard; a content database is mounted again then.
    where: all servers of the farm
    effect: the farm is offline while the wizard runs
    undo: none; SharePoint updates cannot be removed
    when: too-new
  - step: "Read the rows that follow. If they say that the proposed new owner already is a user of the database, see whether search works: Get-SPEnterpriseSearchStatus -SearchApplication NAME -Text; and who owns the database: SELECT name, SUSER_SNAME(owner_sid) FROM sys.databases."
    where: SharePoint Management Shell, SQL Server
    effect: none
    undo: none needed
    when: search-administration
  - step: "If the wizard left sites of IIS stopped, start them: iisreset /start. Then install a later update, and run the wizard again."
    where: the servers on which it failed
    effect: the farm is offline while the wizard runs
    undo: none; SharePoint updates cannot be removed
    when: search-administration
  - step: Nothing is needed.
    when: reporting-services
verify: "Run Get-SPDatabase | Where NeedsUpgrade, then: fastctl diagnose --rule FS1051 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "The SharePoint Farm, Secure Store Database Upgrade to SharePoint 2016 Error (row ajyxu, \"Upgrade object too new. Current versions: (build version = ..., schema version = ...)\", Secure Store after the May 2017 update)"
    url: "https://github.com/TheSharePointFarm/thesharepointfarm.github.io"
  - title: "The SharePoint Farm, SharePoint 2016 July 2018 PU Configuration Failure (an59t, \"Upgrade [SearchAdminDatabase Name=...] failed.\", the owner of the database; search works nevertheless)"
    url: "https://github.com/TheSharePointFarm/thesharepointfarm.github.io"
  - title: "The SharePoint Farm, Reporting Services 2012: some sites are not completely upgraded (fbv7, \"Cannot upgrade\")"
    url: "https://github.com/TheSharePointFarm/thesharepointfarm.github.io/blob/5d13d4df91c54d395eeab605a7e10db1772a611c/_posts/2012-08-11-reporting-services-2012-some-sites-are-not-completely-upgraded.md"
  - title: "Microsoft, SPPendingUpgradeStatus enumeration (CannotUpgrade: too old, or newer than the current install)"
    url: "https://learn.microsoft.com/en-us/previous-versions/office/sharepoint-server/jj169519(v=office.15)"

"""##

private let FS1054 = ##"""
schema: fastctl.rule/1
id: FS1054
slug: workflow-timer-job-last-instance
revision: 2
status: stable
title: The workflow timer job took up an instance, and no row shows that it went on
category: workflow
tags: [sharepoint, workflow, timer job, job-workflow, pausing]

select:
  begun: # only with the level Verbose; an application pool runs workflows as well, but no timer job
    event_id: ahk8y
    process|startswith|none: w3wp
    capture: "for instance: {instance}"
  ended:
    - category: [Legacy Workflow Infrastructure, Workflow Infrastructure]
      message|contains: "Events successfully delivered to Instance:"
    - event_id: "72fs" # the instance failed, so that the job goes on with the next one
    - event_id: b4ly
      message|contains: ["Leaving Monitored Scope (Timer Job job-workflow", "Leaving Monitored Scope: (Timer Job job-workflow"]
  went_on:
    - event_id: ahk8y
    - category: [Legacy Workflow Infrastructure, Workflow Infrastructure]
      message|contains: "Events successfully delivered to Instance:"
    - event_id: "72fs"
    - event_id: b4ly
      message|contains: ["Leaving Monitored Scope (Timer Job job-workflow", "Leaving Monitored Scope: (Timer Job job-workflow"]

check:
  silent:
    absence: {after: begun, expect: went_on, by: request, within: 10m}
    label: "{count} time(s) the job took up an instance, and its rows said for ten minutes neither that the instance ended nor that another began"
  one:
    count: {of: begun, distinct: instance, eq: 1}
    label: "{count} instance that the job took up"
  ended:
    count: {of: ended, gte: 1}

verdicts:
  - id: not-heard-of
    when: silent
    symptoms: [silent]
    severity: info
    confidence: likely
    message: "The workflow timer job took up instance {instance|(see the evidence)}, and for ten minutes no row of its request shows that it went on. If job-workflow stands at Pausing, look at this instance first."
  - id: last-seen
    when: {all: [one, {not: ended}]}
    symptoms: [one]
    severity: info
    confidence: possible
    message: "The only workflow instance that the timer job takes up in these rows is {instance|(see the evidence)}, and none of them shows that it ended. Only if job-workflow stands at Pausing does that mean something: then look at this instance first."

explain:
  what: >-
    At the level Verbose, the workflow timer job writes a row for each workflow instance whose events it begins to process
    (ahk8y), and one when they are delivered. The last instance that was taken up has no such end, and neither another
    instance nor the end of the job follows in the same request.
  why: >-
    The job handles one instance after the other, so that one which never ends keeps all others waiting; then Central
    Administration shows the job as Pausing. The log alone does not tell an instance that never ends from one that takes
    long, or whose end is in the next file: look at the status of the job first.
  impact: If the job is stuck, workflows do not go on after a pause, and approved tasks are not completed. Otherwise none.

fix:
  - step: "See whether the job is stuck, on the page Running Jobs of Central Administration or with: Get-SPTimerJob job-workflow | Select WebApplication, LastRunTime, IsDisabled. If it is not, there is nothing to do."
    where: Central Administration, or SharePoint Management Shell
    effect: none
    undo: none needed
  - step: "Find the list: in the rows of the same correlation, the last tzkv (or b6p4) with proc_GetWorkflowAssociations has the site, the web and the list as @SiteId, @WebId and @ListId (@Id is perhaps the item, perhaps the workflow association); then $web = Get-SPSite SITE-ID | Get-SPWeb WEB-ID; $list = $web.Lists.GetList('LIST-ID', $true). The item is the one that has this instance among its workflows: $list.Items.Workflows | Where InstanceId -eq '{instance|INSTANCE}' | Select ItemId, ItemName (slow in a large list)."
    where: the log at the level VerboseEx, and SharePoint Management Shell
    effect: none
    undo: none needed
  - step: "Look at the history of its workflow, and end it there together with its owner. If the item is already deleted: [Microsoft.SharePoint.Workflow.SPWorkflowManager]::CancelWorkflow((New-Object Microsoft.SharePoint.Workflow.SPWorkflow($web, [guid]'{instance|INSTANCE}')))."
    where: the list, or SharePoint Management Shell
    effect: the workflow of this item ends, and its tasks are deleted
    undo: start the workflow of the item again
  - step: Clear the configuration cache (see FS1043), so that the job begins anew.
    where: the servers that run the workflow timer service
    effect: timer jobs pause for some minutes; the server reads its configuration again
    undo: none needed
verify: "fastctl diagnose --rule FS1054 --since TIME LOGS must find nothing of the next hour, and the job must no longer stand at Pausing."

references:
  - title: >-
      Microsoft, SharePoint workflow timer job is stuck at "Pausing" (the last row ahk8y of job-workflow names the instance
      that most likely is the cause; rows b6p4 and tzkv)
    url: https://github.com/MicrosoftDocs/OfficeDocs-Support/blob/36878e0e10/SharePoint/SharePointServer/workflows/workflow-timer-job-is-stuck-at-pausing.md
  - title: >-
      Nick Shaffer, Parse Logs for Stuck Timer Jobs.ps1 (pairs "begin processing events for instance" with "RunWorkflow:
      Events successfully delivered to Instance" of the same correlation; an instance without the second has no end)
    url: https://github.com/nicolaus-s/powershell/blob/21e27bb074f3140a0d0ebfc415f5834684ad9f1b/Parse%20Logs%20for%20Stuck%20Timer%20Jobs.ps1

"""##

private let FS1056 = ##"""
schema: fastctl.rule/1
id: FS1056
slug: timer-job-fails
revision: 2
status: stable
kind: symptom
title: A timer job, or the timer service around it, throws an exception
category: timer
tags: [sharepoint, timer job, owstimer]

select:
  failed:
    - event_id: "6398"
    - level|gte: Medium # in English, also where only the message was pasted
      message|contains|all: ["The Execute method of job definition ", "threw an exception"]
      capture: ["job definition {job} (ID", 'job definition "{job}" threw', "information is included below.  {reason}", "information is included below. {reason}"]
  internal: # the timer service itself failed around a job
    event_id: ca2m
    message|contains|none: "SPTimerJobUsageMonitoredScope.OnDisposing("
  counter: # its statistics, after the job has run
    event_id: ca2m
    message|contains: "SPTimerJobUsageMonitoredScope.OnDisposing("

check:
  failed:
    count: {of: failed, gte: 1}
    label: "{count} time(s) a job ended with an exception"
  often:
    count: {of: failed, gte: 10, within: 1h}
  internal:
    count: {of: internal, gte: 1}
    label: "{count} time(s) the timer service failed while it ran a job"
  counter:
    count: {of: counter, gte: 1}
    label: "{count} time(s) the statistics of a job were not written"

verdicts:
  - id: jobs-fail-often
    when: often
    symptoms: [failed, internal, counter]
    severity: error
    confidence: likely
    message: "Timer jobs fail again and again, first {job|(not named)} ({reason|see the evidence})."
  - id: job-failed
    when: failed
    symptoms: [failed, internal, counter]
    severity: warning
    confidence: likely
    message: "Timer job {job|(not named)} ended with an exception ({reason|see the evidence})."
  - id: internal-error
    when: internal
    symptoms: [internal, counter]
    severity: warning
    confidence: likely
    message: "The timer service reported an internal error around a job; the first row of the evidence names it."
  - id: statistics-only
    when: counter
    symptoms: [counter]
    severity: info
    confidence: likely
    message: "The timer service could not keep the statistics of a job that had ended; the job itself is not affected."

explain:
  what: A timer job threw an exception (row 6398), or the timer service failed around a job (ca2m), perhaps only at its statistics.
  why: The cause is the exception, and that differs from job to job. Many jobs repeat what they did at their next run, so one failure says little. If jobs that change settings of servers fail on one server only, its configuration cache may be out of step. If the stack of ca2m ends in SPTimerJobUsageMonitoredScope.OnDisposing, only a counter of the job's statistics was too small; rows 6772 and 8e2s that follow it at once in the same run mostly tell of the same.
  impact: If the job itself failed, what it does is not done, or only in part, at that time; which users notice depends on the job. If only its statistics are missing, no user notices.

fix:
  - step: "See whether the job fails each time and on which server: (Get-SPTimerJob | Where TypeName -like '*{job|NAME}*').HistoryEntries | Select -First 20 StartTime, Status, ServerName, ErrorMessage."
    where: SharePoint Management Shell
    effect: none
    undo: none needed
    when: [jobs-fail-often, job-failed]
  - step: "Read the exception and the rows of the same correlation before it: fastctl logs trace CORRELATION."
    where: the logs
    effect: none
    undo: none needed
    when: [jobs-fail-often, job-failed, internal-error]
  - step: "If only one server is affected and the exception speaks of configuration objects, clear its configuration cache (see FS1043)."
    where: that server
    effect: timer jobs do not run there until the service is started again
    undo: the cache fills again by itself
    when: jobs-fail-often
  - step: Nothing is needed; a later cumulative update may make the row disappear.
    when: statistics-only
verify: "Run the job (Start-SPTimerJob NAME), then: fastctl diagnose --rule FS1056 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "Microsoft, Service Instance timer execution failed, Event 6398 (\"The Execute method of job definition <Job Definition Name> (ID Job ID) threw an exception. More information is included below.\")"
    url: "https://technet.microsoft.com/en-us/library/ee513069(v=office.14).aspx"
  - title: "Technology Toolbox, EXT-APP02A (rows ca2m, 6772 and 8e2s of one job: \"Value was either too large or too small for an Int16\")"
    url: "https://github.com/technology-toolbox/Notebook/blob/371a81167c/Infrastructure/EXT-APP02A%20-%20Windows%20Server%202012%20R2.md"

"""##

private let FS1057 = ##"""
schema: fastctl.rule/1
id: FS1057
slug: application-server-administration-job
revision: 1
status: stable
title: The settings of a service are not applied to a server
category: services
tags: [sharepoint, application server administration, search, hosts file, timer job]

select:
  # Rows 6482 and 7076 quote the error; each row is of one kind.
  hosts: # search writes there if one server is the target of crawls
    event_id: ["6482", "7076"]
    message|contains: "\\drivers\\etc\\HOSTS"
  gatherer: # 0x80040D23
    event_id: ["6482", "7076"]
    message|contains: ["0x80040D23", "The gatherer is shutting down"]
  storage: # 0x80070008
    event_id: ["6482", "7076"]
    message|contains: ["0x80070008", "Not enough storage is available"]
  other:
    event_id: ["6482", "7076"]
    message|contains|none: ["\\drivers\\etc\\HOSTS", "0x80040D23", "The gatherer is shutting down", "0x80070008", "Not enough storage is available"]
    capture: "service instance {instance} ("

check:
  hosts:
    count: {of: hosts, gte: 1}
    label: "{count} time(s) the HOSTS file could not be written"
  gatherer:
    count: {of: gatherer, gte: 1}
    label: "{count} time(s) the crawler was shutting down"
  storage:
    count: {of: storage, gte: 1}
    label: "{count} time(s) Windows had not enough storage for the command"
  other:
    count: {of: other, gte: 1}
    label: "{count} time(s) the job failed for another reason"

verdicts:
  - id: hosts-denied
    when: hosts
    symptoms: [hosts, gatherer, storage, other]
    severity: warning
    confidence: likely
    message: "Settings are not applied to this server because its HOSTS file could not be read or written, as search does. Mostly the farm account (WSS_ADMIN_WPG) has no right to change it."
  - id: storage
    when: storage
    symptoms: [gatherer, storage, other]
    severity: warning
    confidence: likely
    message: "Settings are not applied to this server, because Windows says that there is not enough storage for the command (0x80070008), mostly when IIS is asked."
  - id: crawler-shutting-down
    when: gatherer
    symptoms: [gatherer, other]
    severity: warning
    confidence: likely
    message: "Settings are not applied to this server, because the crawler is shutting down (0x80040D23); if that lasts, its service mostly hangs."
  - id: other
    when: other
    symptoms: [other]
    severity: warning
    confidence: likely
    message: "Settings of {instance|a service} were not applied to this server; the first row of the evidence says why."

explain:
  what: Once a minute the job Application Server Administration applies the settings of services to each server, and it failed (6482, 7076).
  why: The error in the row says what was in the way. With a dedicated server for crawls, search writes the names of the sites into the HOSTS file and needs the right to change it. 0x80040D23 means that the crawler is about to stop; that is usual while it restarts. 0x80070008 comes from IIS on a server that runs short of a system resource. The rows repeat every minute until the cause is gone; a single one is over.
  impact: Changes of search and other service settings do not reach this server; what runs goes on.

fix:
  - step: "Give WSS_ADMIN_WPG the right to modify C:\\Windows\\System32\\drivers\\etc\\HOSTS, and see that the file is not read-only and not guarded by antivirus software."
    where: the server that wrote the row
    effect: search adds lines to the file; the members of the group may redirect any name on this server
    undo: take the right away
    when: hosts-denied
  - step: "Look at the service of the crawler (Get-Service OSearch*); if it stays in Stopping, end it, and start it again."
    where: the server that wrote the row
    effect: a running crawl is interrupted
    undo: none needed
    when: crawler-shutting-down
  - step: Restart the timer service, and IIS if that does not help; then watch the memory and the number of handles of the server.
    where: the server that wrote the row
    effect: iisreset ends all running requests
    undo: none needed
    when: storage
  - step: "Read the reason in the row; see which service it names (Get-SPServiceInstance), and whether it is started on this server."
    where: SharePoint Management Shell
    effect: none
    undo: none needed
    when: other
verify: "Wait two minutes, then run: fastctl diagnose --rule FS1057 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "abcdocz, Troubleshooting search (\"Application Server Administration job failed for service instance Microsoft.Office.Server.Search.Administration.SearchServiceInstance ... Reason: The gatherer is shutting down\", 0x80040D23)"
    url: "https://abcdocz.com/doc/251878"
  - title: "Søren Nielsen, \"Not enough storage\" event log error (6398, 7076, 0x80070008)"
    url: "https://soerennielsen.wordpress.com/2008/02/"
  - title: "The SharePoint Farm, Microsoft Search Server startup error (access to the HOSTS file is denied)"
    url: "https://github.com/TheSharePointFarm/thesharepointfarm.github.io/blob/63a78230f5a34fc312376c769ea5ca151cacfea6/_posts/2009-05-07-microsoft-search-server-startup-error.md"

"""##

private let FS1058 = ##"""
schema: fastctl.rule/1
id: FS1058
slug: distributed-cache-fails
revision: 5
status: stable
title: Calls of the Distributed Cache fail
category: services
tags: [sharepoint, distributed cache, appfabric, sign-in, newsfeed]
needs: {uls: required, farm: optional}

select:
  without_hosts:
    event_id: ["air4g", "a4kcq"]
    message|contains: "InitializeDataCacheFactory - No cache hosts"
  # Under which event the next two come varies. A web page that took the angle brackets for markup leaves their second
  # texts.
  temporary_failure:
    category: DistributedCache
    message|contains:
      - "DataCacheException: ErrorCode<ERRCA0017>"
      - "DataCacheException: ErrorCode:SubStatus:There is a temporary failure"
    capture: "usage '{usage}'"
  timed_out:
    category: DistributedCache
    message|contains:
      - "DataCacheException: ErrorCode<ERRCA0018>"
      - "DataCacheException: ErrorCode:SubStatus:The request timed out"
    capture: ["usage '{usage}'", "net.tcp://{host}:"]

check:
  no_hosts:
    count: {of: without_hosts, gte: 1}
    label: "{count} time(s) there was no cache host in the farm"
  no_hosts_often:
    count: {of: without_hosts, gte: 3, within: 10m}
  unavailable:
    count: {of: temporary_failure, gte: 1}
    label: "{count} row(s) with ERRCA0017"
  unavailable_often:
    count: {of: temporary_failure, gte: 10, within: 10m}
  slow:
    count: {of: timed_out, gte: 1}
    label: "{count} row(s) with a time-out"
  slow_often:
    count: {of: timed_out, gte: 10, within: 10m}
  stopped:
    farm: {service: SPDistributedCacheServiceInstance, runs: false}

verdicts:
  - id: not-running
    when: {all: [{any: [no_hosts, unavailable]}, stopped]}
    symptoms: [no_hosts, unavailable, slow]
    severity: error
    confidence: certain
    message: "Calls of the Distributed Cache fail, and it runs on no server of the farm: sign-in tokens, newsfeeds and other cached data are not shared."
  - id: no-cache-hosts
    when: no_hosts_often
    symptoms: [no_hosts, unavailable, slow]
    severity: error
    confidence: likely
    message: "SharePoint finds no running cache host in the farm, again and again; sign-in tokens, newsfeeds and other cached data are not shared then."
  - id: cluster-down
    when: unavailable_often
    symptoms: [no_hosts, unavailable, slow]
    severity: error
    confidence: likely
    message: "Calls of the Distributed Cache fail for {usage|its clients} (ERRCA0017, again and again). Mostly a host is stopped, busy or behind a firewall, or client and cluster disagree on security."
  - id: request-timed-out
    when: slow_often
    symptoms: [no_hosts, unavailable, slow]
    severity: error
    confidence: likely
    message: "Requests to the Distributed Cache time out again and again ({usage|usage unknown} at {host|an unnamed host})."
  - id: no-cache-hosts-once
    when: no_hosts
    symptoms: [no_hosts, unavailable, slow]
    severity: warning
    confidence: likely
    message: "SharePoint found no running cache host in the farm, which is usual only while servers start."
  - id: cluster-unavailable-once
    when: unavailable
    symptoms: [unavailable, slow]
    severity: warning
    confidence: likely
    message: "A call of the Distributed Cache failed for {usage|a client} (ERRCA0017). Its text calls that temporary, whatever the cause; it lasts, for instance, if a host is stopped or if client and cluster disagree on security."
  - id: some-time-outs
    when: slow
    symptoms: [slow]
    severity: warning
    confidence: likely
    message: "Some requests to the Distributed Cache timed out ({usage|usage unknown} at {host|an unnamed host}); SharePoint waits for them only briefly."

explain:
  what: SharePoint keeps sign-in tokens, view state, newsfeeds and security trimming data in the Distributed Cache (AppFabric), and a call of it failed or timed out, or no host of it was found.
  why: Mostly, either no server runs the service, or the cluster refuses or cannot serve its clients, or a host answers too late. Since the updates of January 2023, client and cluster must agree on the security of the transport; where the configuration wizard did not apply this, all clients fail with ERRCA0017. Time-outs mostly come from long garbage collections of a host (AppFabric before cumulative update 3, or without backgroundGC), from too little memory, or from the network. SharePoint waits for the cache only briefly, so that healthy farms have single time-outs and failures that pass; these are warnings.
  impact: "If many calls fail, and while that lasts: users are sent to the sign-in page at random, newsfeeds stay empty, pages are slow. Of single failures, few users notice anything."

fix:
  - step: Start the Distributed Cache where it should run, or add a host with Add-SPDistributedCacheServiceInstance; never use the Windows services console for it.
    where: the servers that are meant to be cache hosts
    effect: the cache takes its memory from the server
    undo: Remove-SPDistributedCacheServiceInstance on that server
    when: [not-running, no-cache-hosts, no-cache-hosts-once]
  - step: Compare what Get-SPServiceInstance says about the Distributed Cache with the hosts of the cluster (Use-CacheCluster and Get-CacheHost; in the Subscription Edition Use-SPCacheCluster and Get-SPCacheHost), and repair the host that differs or is down.
    where: a cache host, SharePoint Management Shell
    effect: a host that is restarted loses what it cached; users may have to sign in again
    undo: none needed
    when: [no-cache-hosts, cluster-down, cluster-unavailable-once]
  - step: If it began with the updates of January 2023 or later, check the security settings of the cluster and repair them as Stefan Goßner's article describes.
    where: a cache host
    effect: the cluster is restarted; users may have to sign in again
    undo: set the former security mode in the same way
    when: [cluster-down, cluster-unavailable-once]
  - step: "If time-outs go on, see the version of AppFabric: Get-ChildItem 'C:\\Program Files\\AppFabric 1.1 for Windows Server\\Microsoft.ApplicationServer.Caching*.dll' | Select -ExpandProperty VersionInfo. Install its newest cumulative update, and add the key backgroundGC with the value true to appSettings in DistributedCacheService.exe.config."
    where: each cache host, one after the other (SharePoint 2013 to 2019)
    effect: the host is stopped during the update and loses what it cached
    undo: remove the key; an update stays
    when: [request-timed-out, some-time-outs]
  - step: If time-outs go on, give the hosts enough memory and do not run search or SQL Server on them.
    where: cache hosts
    effect: what is moved is interrupted meanwhile
    undo: none needed
    when: [request-timed-out, some-time-outs]
verify: "Wait ten minutes under load, then run: fastctl diagnose --rule FS1058 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "Habanero, SharePoint 2013 distributed cache bug (GetObject, 'Distributed Logon Token Cache', \"The request timed out\")"
    url: "https://www.habaneroconsulting.com/stories/insights/2013/sharepoint-2013-distributed-cache-bug"
  - title: "Sam Betts, Troubleshooting AppFabric timeouts on SharePoint (\"ErrorCode<ERRCA0018>:SubStatus<ES0001>:The request timed out\")"
    url: "https://blogs.msdn.microsoft.com/sambetts/2014/05/28/troubleshooting-appfabric-timeouts-on-sharepoint/"
  - title: "Stefan Goßner, Distributed cache problems after applying January 2023 CU (\"ah24w ... InitializeDataCacheFactory ... ErrorCode<ERRCA0017>:SubStatus<ES0006>:There is a temporary failure\")"
    url: "https://blog.stefan-gossner.com/2023/02/16/trending-issue-distributed-cache-problems-after-applying-january-2023-cu/"
  - title: "sp-dev-docs #4352 (rows air4g, \"InitializeDataCacheFactory - No cache hosts present in the farm\")"
    url: "https://github.com/SharePoint/sp-dev-docs/issues/4352"
  - title: "Sam Betts, SharePoint 2013 Distributed Cache (AppFabric) troubleshooting"
    url: "https://blogs.msdn.microsoft.com/sambetts/2014/03/19/sharepoint-2013-distributed-cache-appfabric-troubleshooting/"

"""##

private let FS1059 = ##"""
schema: fastctl.rule/1
id: FS1059
slug: sprequest-not-disposed
revision: 1
status: stable
title: Code holds SharePoint objects too long, or uses closed ones
category: performance
tags: [sharepoint, sprequest, memory leak, custom code, dispose]

select:
  # SharePoint writes these sentences in English; under which event they come varies.
  excessive:
    level|gte: High
    message|contains: "Potentially excessive number of SPRequest objects"
  not_disposed:
    level|gte: High
    message|contains: ["An SPRequest object was not disposed before the end of this thread", "An SPRequest object was reclaimed by the garbage collector"]
  closed: # used after it was given back
    level|gte: High
    message|contains: "Detected use of SPRequest for previously closed SPWeb object"

check:
  excessive:
    count: {of: excessive, gte: 1}
    label: "{count} time(s) a thread held many SPRequest objects"
  not_disposed:
    count: {of: not_disposed, gte: 1}
    label: "{count} time(s) an object was not given back"
  closed:
    count: {of: closed, gte: 1}
    label: "{count} time(s) an object was used after it was given back"
  leak:
    count: {of: not_disposed, gte: 50, within: 1h}
  held:
    count: {of: excessive, gte: 10, within: 1h}

verdicts:
  - id: leak
    when: {any: [leak, held]}
    symptoms: [excessive, not_disposed, closed]
    severity: warning
    confidence: likely
    message: "Code, most often custom code, holds many SharePoint objects (SPSite, SPWeb) or does not give them back, at a rate that may cost memory; with an Allocation Id in the row, the place is found."
  - id: some-objects
    when: {any: [excessive, not_disposed, closed]}
    symptoms: [excessive, not_disposed, closed]
    severity: info
    confidence: likely
    message: "Some code holds many SharePoint objects (SPSite, SPWeb), does not give them back in time, or uses them afterwards; at this rate it is mostly only untidy."

explain:
  what: Each SPSite or SPWeb holds an SPRequest, memory outside .NET, until it is disposed. SharePoint reports objects that were not disposed, and threads that hold many.
  why: Code creates SPSite or SPWeb objects and does not dispose of them, or disposes of objects that belong to SharePoint and are used later. Some rows come from SharePoint's own code. The row does not name the code; with the stack traces turned on, a row with the same Allocation Id does.
  impact: The application pool uses more and more memory and is recycled more often, and pages get slower.

fix:
  - step: "Turn on the stack traces for an hour: $s = [Microsoft.SharePoint.Administration.SPWebService]::ContentService; $s.CollectSPRequestAllocationCallStacks = $true; $s.Update()."
    where: SharePoint Management Shell, then recycle the application pool
    effect: requests are a little slower while it is on, and wait while the pool starts
    undo: set it to $false and call Update()
  - step: "Find the row with the same Allocation Id; the first frame that is not Microsoft's names the code. Put its objects into using blocks, and do not dispose of those of SPContext."
    where: the custom code
    effect: none
    undo: deploy the former version
verify: "Wait an hour under load, then run: fastctl diagnose --rule FS1059 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "Amol Ravande (Microsoft), Tracking down objects not conforming to SharePoint disposal best practices (both sentences)"
    url: "https://docs.microsoft.com/en-us/archive/blogs/amolravande/tracking-down-objects-not-conforming-to-sharepoint-disposal-best-practices"
  - title: "Andy Van Steenbergen, SPRequest things (all four sentences; CollectSPRequestAllocationCallStacks)"
    url: "https://www.andyvansteenbergen.com/blog/sprequest-things-i-couldnt-find/"

"""##

private let FS1060 = ##"""
schema: fastctl.rule/1
id: FS1060
slug: usage-data-not-written
revision: 1
status: stable
title: The tracing service cannot write usage data
category: logging
tags: [sharepoint, uls, usage data, log folder, permissions]

select:
  # 5 is ERROR_ACCESS_DENIED, 112 is ERROR_DISK_FULL; each row is of one kind.
  denied:
    event_id: adr4q
    message|re: 'Win32 error code=5(?:[^0-9]|$)'
  full:
    event_id: adr4q
    message|re: 'Win32 error code=112(?:[^0-9]|$)'
  any_error:
    event_id: adr4q
    capture: "Win32 error code={code}."

check:
  denied:
    count: {of: denied, gte: 1}
    label: "{count} time(s) access was denied"
  full:
    count: {of: full, gte: 1}
    label: "{count} time(s) the disk was full"
  failed:
    count: {of: any_error, gte: 1}
    label: "{count} time(s) a file could not be created or written"

verdicts:
  - id: access-denied
    when: denied
    symptoms: [denied, full, failed]
    severity: warning
    confidence: likely
    message: "The tracing service was denied access when it wrote usage data (error 5). Mostly its account may not write or read in the log folder, and trace logs may be missing as well."
  - id: disk-full
    when: full
    symptoms: [full, failed]
    severity: warning
    confidence: likely
    message: "The tracing service cannot write usage data because there is not enough space on the disk (error 112)."
  - id: not-written
    when: failed
    symptoms: [failed]
    severity: warning
    confidence: likely
    message: "The tracing service cannot write usage data (Windows error {code|not logged})."

explain:
  what: The tracing service (wsstracing) could not create or write a file of usage data (adr4q).
  why: The service runs as Local Service by default, which needs to read, write and delete in the log folder. If the folder was moved to another disk, it often has the right to write but not to read there. Error 112 means that the disk is full.
  impact: Usage and health data are missing; if the trace logs are in the same folder, the rows that explain a failure may be missing when somebody looks for them.

fix:
  - step: "See the folders and their permissions: Get-SPDiagnosticConfig | Select LogLocation; Get-SPUsageService | Select UsageLogDir; icacls FOLDER."
    where: the server that wrote the row
    effect: none
    undo: none needed
  - step: "Keep the permissions (icacls FOLDER /save FILE), then give Local Service, or the account of the service, the right to modify the folder: icacls FOLDER /grant \"NT AUTHORITY\\LOCAL SERVICE:(OI)(CI)M\"; then restart the SharePoint Tracing Service."
    where: the server that wrote the row
    effect: a new trace log is started; nothing is logged while the service restarts
    undo: icacls PARENT-OF-FOLDER /restore FILE
    when: access-denied
  - step: Make room on the disk, or move the logs (Set-SPDiagnosticConfig -LogLocation FOLDER, usage data with Set-SPUsageService -UsageLogLocation FOLDER).
    where: the server that wrote the row; the folders once for the farm
    effect: the folder must exist on all servers
    undo: set the former folder
    when: disk-full
verify: "Wait half an hour, then run: fastctl diagnose --rule FS1060 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "Technology Toolbox, EXT-FOOBAR4 (adr4q, \"Create store file error.. Win32 error code=5\": Local Service needs Modify on the log folder)"
    url: "https://github.com/technology-toolbox/Notebook/blob/29747d53a9/Infrastructure/EXT-FOOBAR4%20-%20Windows%20Server%202012%20R2.md"
  - title: "Microsoft, System error codes 0-499 (5 ERROR_ACCESS_DENIED, 112 ERROR_DISK_FULL)"
    url: "https://learn.microsoft.com/en-us/windows/win32/debug/system-error-codes--0-499-"

"""##

private let FS1061 = ##"""
schema: fastctl.rule/1
id: FS1061
slug: trace-log-storage
revision: 2
status: stable
title: Trace logs are near their limit or cannot be deleted
category: logging
tags: [sharepoint, uls, disk]

select:
  held_open: # error 00000020 is a sharing violation
    event_id: b9ws
    message|contains: "00000020"
  not_deleted:
    event_id: b9ws
    capture: ["file '{file}'", "Error {code}"]
  limit_near:
    event_id: "8094"
    category: Tracing Controller Service
    capture: "storage limit ({limit})"

check:
  held_open:
    count: {of: held_open, gte: 1}
    label: "{count} time(s) a log file was held open by another process"
  not_deleted:
    count: {of: not_deleted, gte: 1}
    label: "{count} time(s) a log file could not be deleted"
  limit_near:
    count: {of: limit_near, gte: 1}
    label: "{count} time(s) the storage limit was near"

verdicts:
  - id: held-open
    when: held_open
    symptoms: [held_open, limit_near]
    severity: warning
    confidence: likely
    message: "A trace log cannot be deleted because a process holds it open: {file|see the evidence}."
  - id: not-deleted
    when: not_deleted
    symptoms: [not_deleted, limit_near]
    severity: warning
    confidence: likely
    message: "A trace log cannot be deleted (Windows error {code|not logged}): {file|see the evidence}."
  - id: limit
    when: limit_near
    symptoms: [limit_near]
    severity: warning
    confidence: likely
    message: "Trace logs are near their storage limit of {limit|(not logged)} GB; when they reach it, older files are deleted before their time."

explain:
  what: >-
    The tracing service reports that it cannot delete an old trace log (b9ws), or that the logs will soon take as much
    space as they may (8094). A row b9wt, which says that an old log was deleted, is normal and not a finding.
  why: >-
    If a file cannot be deleted (b9ws), mostly a log collector, a viewer, a backup or a virus scanner has opened it
    without allowing that (error 00000020), or the service's account has no right to delete it. A row 8094 means that
    the limit is too low for the levels that are logged; often Verbose was left on.
  impact: >-
    A file that cannot be deleted stays on the disk until it can; if that happens with many files, the disk may fill up,
    and then SharePoint logs nothing. If the limit is reached (8094), the rows that explain a failure may already be
    deleted when somebody looks for them.

fix:
  - step: Find out what holds the file open, for instance with Resource Monitor, and make it open logs so that they can be deleted.
    where: the server of the log
    effect: none on users
    undo: none needed
    when: held-open
  - step: Give the account of the SharePoint Tracing Service the right to modify the log folder.
    where: the log folder on each server
    effect: none on users
    undo: take the right away
    when: not-deleted
  - step: Raise the limit or log less, with Set-SPDiagnosticConfig -LogDiskSpaceUsageGB or Clear-SPLogLevel.
    where: once for the farm
    effect: takes effect at once; Clear-SPLogLevel sets all categories to their defaults, so that rows of Verbose are no longer written
    undo: set the previous values
    when: limit
verify: fastctl diagnose --rule FS1061 --since TIME-OF-THE-CHANGE LOGS must find nothing after the next hour.

references:
  - title: >-
      Published log of KinesisTap: b9ws "Trace Management Service unable to delete file ... Error 00000020" and b9wt "Log
      retention limit reached"
    url: https://github.com/awslabs/kinesis-agent-windows/blob/HEAD/Amazon.KinesisTap.FileSystem.Test/Samples/SharepointULSSample_Timestamp.log
  - title: >-
      Tests of KinesisTap: 8094 "Trace logs are reaching to the configured storage limit (5). Please increase the maximum
      storage settings."
    url: https://github.com/awslabs/kinesis-agent-windows/blob/HEAD/Amazon.KinesisTap.Uls.Test/UlsLogTest.cs

"""##

private let FS1063 = ##"""
schema: fastctl.rule/1
id: FS1063
slug: service-not-provisioned-stssoap-in-use
revision: 2
status: stable
title: STSSOAP.DLL of a web application is held by another process
category: services
tags: [sharepoint, service application, antivirus, provisioning]

select:
  in_use:
    # Windows says why; under which event it comes varies.
    level|gte: High
    message|contains: "_app_bin\\STSSOAP.DLL"
    message|contains|any: ["being used by another process", "von einem anderen Prozess verwendet"]
    capture: "VirtualDirectories\\{site}\\_app_bin"

check:
  locked:
    count: {of: in_use, gte: 1}
    label: "{count} attempt(s) failed"

verdicts:
  - id: file-in-use
    when: locked
    symptoms: [locked]
    severity: error
    confidence: likely
    message: "Another process holds STSSOAP.DLL of {site|a web application}, so that access to it fails. Mostly a service could not be provisioned, and a virus scanner or IIS holds the file."

explain:
  what: When a service is provisioned, SharePoint copies STSSOAP.DLL to the _app_bin folder of each web application. Another process holds the file there, so SharePoint cannot replace it.
  why: Most often a virus scanner reads the file at that moment; IIS may hold it as well. The row does not say which process it is. The reason is recognized only in English and German.
  impact: The service application does not start, and what depends on it does not work.

fix:
  - step: Exclude the folders that Microsoft names for SharePoint from virus scans, including those of the web applications below inetpub\wwwroot\wss\VirtualDirectories.
    where: all servers of the farm
    effect: files in those folders are not scanned when they are opened
    undo: remove the exclusions
  - step: Start the service again; if it fails in the same way, run iisreset /noforce first.
    where: the server on which it failed
    effect: iisreset ends all running requests
    undo: none needed
verify: "Start the service, then run: fastctl diagnose --rule FS1063 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "Microsoft, Cannot start an application service (\"Provision of service failed. The process cannot access the file '...\\_app_bin\\STSSOAP.DLL' because it is being used by another process\")"
    url: "https://github.com/MicrosoftDocs/OfficeDocs-Support/blob/36878e0e10/SharePoint/SharePointServer/apps/cannot-start-an-application-service.md"
  - title: "Microsoft, Folders that may have to be excluded from antivirus scanning in SharePoint"
    url: "https://support.microsoft.com/kb/952167"

"""##

private let FS1065 = ##"""
schema: fastctl.rule/1
id: FS1065
slug: blob-cache-fails
revision: 2
status: stable
title: The BLOB cache reports an error
category: publishing
tags: [sharepoint, blob cache, disk, permissions, web.config]

select:
  # The row quotes the exception; each row is of one kind.
  denied:
    event_id: "5538"
    message|contains: ["Access to the path '", "0x80070005"]
    capture: "Access to the path '{path}'"
  full:
    event_id: "5538"
    message|contains: ["not enough space", "0x80070070"]
  missing:
    event_id: "5538"
    message|contains: "0x80070002"
  other:
    event_id: "5538"
    message|contains|none: ["Access to the path '", "0x80070005", "not enough space", "0x80070070", "0x80070002"]

check:
  denied:
    count: {of: denied, gte: 1}
    label: "{count} time(s) access to the cache's folder was denied"
  full:
    count: {of: full, gte: 1}
    label: "{count} time(s) the disk of the cache was full"
  missing:
    count: {of: missing, gte: 1}
    label: "{count} time(s) a file was not found (0x80070002)"
  other:
    count: {of: other, gte: 1}
    label: "{count} time(s) the cache failed for another reason"

verdicts:
  - id: folder-denied
    when: denied
    symptoms: [denied, full, missing, other]
    severity: warning
    confidence: likely
    message: "The BLOB cache was denied access to {path|a file or folder}. Mostly the account of the application pool has no right to change its folder."
  - id: disk-full
    when: full
    symptoms: [full, missing, other]
    severity: warning
    confidence: likely
    message: "The BLOB cache found too little space on a disk."
  - id: file-not-found
    when: missing
    symptoms: [missing, other]
    severity: warning
    confidence: possible
    message: "The BLOB cache did not find a file (0x80070002): often one of the site that is not there or not published."
  - id: other
    when: other
    symptoms: [other]
    severity: warning
    confidence: likely
    message: "The BLOB cache failed; the first row of the evidence says why."

explain:
  what: The BLOB cache keeps images, scripts and styles of sites as files on each web server, and failed (5538).
  why: The account of the application pool has no right to modify the folder, or the disk is full or smaller than maxSize. A file that is not found (0x80070002) is often one that a page names but that is checked out, not published or deleted; it may also be one of the cache that somebody deleted; visitors without rights see only published files. Where web.config names a folder that is not on this server, the cache does not start.
  impact: Files come from the database, so that pages are slower; with 0x80070002 some images or styles are missing.

fix:
  - step: "Read the settings: configuration/SharePoint/BlobCache in web.config (location, maxSize, enabled), and the folder's permissions: icacls FOLDER."
    where: web.config of the web application on the server that wrote the row
    effect: none
    undo: none needed
  - step: "Give WSS_WPG the right to modify the folder, or name another folder in location."
    where: the server that wrote the row
    effect: saving a web.config recycles the application domain; the cache is filled again
    undo: restore the former value
    when: folder-denied
  - step: "Read the exception in the row; if location names a folder or drive that this server does not have, name one that it has."
    where: web.config of the web application on the server that wrote the row
    effect: saving a web.config recycles the application domain; the cache is filled again
    undo: restore the former value
    when: other
  - step: Make room on the disk, or lower maxSize.
    where: the server that wrote the row
    effect: saving a web.config recycles the application domain
    undo: restore the former value
    when: disk-full
  - step: Publish or check in the file that the page names, or remove its name from the page; do not delete files of the cache by hand.
    where: the site
    effect: visitors see the file
    undo: unpublish the file
    when: file-not-found
verify: "Open the page as a visitor, then run: fastctl diagnose --rule FS1065 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "Jussi Palo, MOSS: BlobCache not working (\"An error occured in the blob cache. The exception message was 'Access to the path ... is denied.'\")"
    url: "https://blog.jussipalo.com/2007/11/moss-blogcache-not-working.html"
  - title: "Brainxx, Fixing SharePoint 2016 BLOB cache errors (0x80070002)"
    url: "http://brainxx.site/blog/fixing-sharepoint-2016-blob-cache"
  - title: "Microsoft, Manual manipulation of the SharePoint disk based BLOB cache folder hierarchy is unsupported"
    url: "http://support.microsoft.com/kb/2289730"

"""##

private let FS1066 = ##"""
schema: fastctl.rule/1
id: FS1066
slug: start-address-cannot-be-crawled
revision: 3
status: stable
title: A start address of search cannot be crawled
category: search
tags: [sharepoint, search, crawl, content source, loopback check]
per: address

select:
  # The category is Gatherer, or ends with a part of it in later versions. Each row is of one kind.
  denied:
    category|contains: Gatherer
    message|contains: "The start address "
    message|contains|any: ["0x80041205", "0x80070005", "Access is denied"]
    capture: ["start address <{address}> cannot be crawled", "start address {address}  cannot be crawled", "start address {address} cannot be crawled"]
  other:
    category|contains: Gatherer
    message|contains: "The start address "
    message|contains|none: ["0x80041205", "0x80070005", "Access is denied", "0x80040D1A", "0x80040D37", "protocol handler cannot be found"]
    capture: ["start address <{address}> cannot be crawled", "start address {address}  cannot be crawled", "start address {address} cannot be crawled", "Details: {details}"]
  handler: # nothing was asked over the network
    category|contains: Gatherer
    message|contains: "The start address "
    message|contains|any: ["0x80040D1A", "0x80040D37", "protocol handler cannot be found"]
    message|contains|none: ["0x80041205", "0x80070005", "Access is denied"]
    capture: ["start address <{address}> cannot be crawled", "start address {address}  cannot be crawled", "start address {address} cannot be crawled"]

check:
  denied:
    count: {of: denied, gte: 1}
    label: "{count} time(s) access was denied to the crawler"
  other:
    count: {of: other, gte: 1}
    label: "{count} time(s) it failed for another reason"
  handler:
    count: {of: handler, gte: 1}
    label: "{count} time(s) the protocol handler for such addresses was not found"

verdicts:
  - id: access-denied
    when: denied
    symptoms: [denied, handler, other]
    severity: error
    confidence: likely
    message: "Start address {address|(not logged)} is not crawled: access is denied. Mostly the crawler's account may not read the site, or Windows refuses the loop back to the same server."
  - id: no-handler
    when: handler
    symptoms: [handler, other]
    severity: error
    confidence: likely
    message: "Start address {address|(not logged)} is not crawled: on the server that crawls, search has no protocol handler for such an address, or could not load it."
  - id: not-crawled
    when: other
    symptoms: [other]
    severity: warning
    confidence: likely
    message: "Start address {address|(not logged)} was not crawled at that time ({details|see the evidence})."

explain:
  what: The crawler could not read the first page of a content source, so it read nothing of it.
  why: Denied access has two usual causes. The content access account has no Full Read policy on the web application. Or the crawler runs on the server that also serves the site, and Windows refuses to sign in to itself under another name (the loopback check; the security log then has event 4625). If the protocol handler is not found (0x80040D1A, 0x80040D37), the network has no part in it; on that crawl server the registration of search's handlers (mssph.dll) is missing or damaged, or there is no handler for the kind of address. Other reasons are in the details of the row, such as a name that is not found or a server that does not answer; they may pass by themselves, so that they are a warning.
  impact: New and changed content of the content source does not appear in search results.

fix:
  - step: "Open the start address in a browser as the content access account, on the server that crawls; three prompts and a blank page mean the loopback check."
    where: the server that crawls
    effect: none
    undo: none needed
    when: [access-denied, not-crawled]
  - step: "See which kinds of address the crawl component has handlers for, and compare with a server that crawls: Get-ChildItem 'HKLM:\\SOFTWARE\\Microsoft\\Office Server\\*\\Search\\Applications\\*\\Gather\\*\\Protocols'."
    where: the server that crawls, and another one for comparison
    effect: none
    undo: none needed
    when: no-handler
  - step: "Look in the event log for a handler that could not be loaded, and which: Get-WinEvent -LogName Application -MaxEvents 2000 | Where Message -like '*protocol handler*'."
    where: the server that crawls
    effect: none
    undo: none needed
    when: no-handler
  - step: "If it is one of search's own (OSearch...), export the key Protocols of the crawl component and register the library again: regsvr32 \"C:\\Program Files\\Microsoft Office Servers\\VERSION\\Bin\\mssph.dll\"; then restart the search service (OSearch...). A handler of a third party needs its own installation."
    where: the server that crawls
    effect: running crawls stop with the service; the handlers of the library are registered anew
    undo: import the exported key
    when: no-handler
  - step: Give the content access account the user policy Full Read on the web application (Central Administration, User Policy).
    where: Central Administration
    effect: the account may read all content of the web application
    undo: remove the policy
    when: access-denied
  - step: "Name the host names of the sites in BackConnectionHostNames (multi-string) below HKLM\\SYSTEM\\CurrentControlSet\\Control\\Lsa\\MSV1_0, and restart IIS; prefer this to DisableLoopbackCheck."
    where: each server that crawls and serves the site
    effect: sign-in of the server to itself under these names is allowed; restarting IIS ends all running requests
    undo: remove the names
    when: access-denied
  - step: "Read the details of the row; check name resolution and the way to the address from the server that crawls (Resolve-DnsName, Test-NetConnection)."
    where: the server that crawls
    effect: none
    undo: none needed
    when: not-crawled
verify: "Start a crawl of the content source, then run: fastctl diagnose --rule FS1066 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "Microsoft, Errors when crawling content sources: Event ID 2436 and \"Access is denied\" (\"The start address <...> cannot be crawled. Context: Application ..., Catalog 'Search'\")"
    url: "http://support.microsoft.com/kb/971382"
  - title: "The SharePoint Farm, .NET 3.5 SP1 and SharePoint search errors (loopback check)"
    url: "https://github.com/TheSharePointFarm/thesharepointfarm.github.io/blob/63a78230f5a34fc312376c769ea5ca151cacfea6/_posts/2010-09-20-net-3-5-sp1-and-sharepoint-search-errors.md"
  - title: "Microsoft (SharePoint support), Crawls error out with \"The protocol handler cannot be found\" (0x80040d1a; registering mssph.dll again)"
    url: "https://blogs.msdn.microsoft.com/spses/2015/09/28/sharepoint-crawls-error-out-with-the-protocol-handler-cannot-be-found-check-that-the-handler-has-been-installed-0x80040d1a/"
  - title: "Microsoft, Protocol handler error constants (access denied, object not found)"
    url: "https://learn.microsoft.com/en-us/windows/win32/search/-search-prth-error-constants"

"""##

private let FS1067 = ##"""
schema: fastctl.rule/1
id: FS1067
slug: crawler-fails-after-dotnet-update
revision: 1
status: stable
title: A program cannot open SQL connections because .NET fails at its configuration
category: search
tags: [sharepoint, search, crawler, .net, cve-2018-8421]

select:
  no_connection:
    event_id: ["fa45", "88bl"]
    message|contains|all:
      - "System.Data.SqlClient.SqlConnection"
      - "System.Configuration.ClientConfigPaths."
    capture: "System.IO.FileNotFoundException: {program}.exe"

check:
  broken:
    count: {of: no_connection, gte: 1}
    label: "{count} row(s) report that SqlConnection cannot be initialized"

verdicts:
  - id: section-missing
    when: broken
    symptoms: [broken]
    severity: error
    confidence: likely
    message: "{program|(not logged)}.exe cannot open SQL connections because .NET fails when it looks for the program's configuration. Mostly an update of .NET since September 2018 asks for a section, and the program has no configuration file."

explain:
  what: When .NET sets up SqlConnection for the first time, it reads the section SqlColumnEncryptionEnclaveProviders of the program's configuration file, and fails when it cannot.
  why: The September 2018 updates of .NET Framework 4.6 and later (CVE-2018-8421) made SqlConnection read that section. The search daemon mssdmn.exe has no configuration file, and looking for one fails.
  impact: Crawls fail; new and changed content does not appear in search results.

fix:
  - step: "Create {program|mssdmn}.exe.config beside the program, with a section SqlColumnEncryptionEnclaveProviders of type System.Data.SqlClient.SqlColumnEncryptionEnclaveProviderConfigurationSection (System.Data 4.0.0.0) in configSections; the article has the text."
    where: all servers that crawl
    effect: it is read when SharePoint Search (OSearch15 or OSearch16) restarts; that interrupts a running crawl
    undo: delete the file
  - step: If other programs report the same, define the section in machine.config instead, with the script in the article.
    where: all servers that report it, both Framework and Framework64
    effect: all .NET programs of the server read it when they start
    undo: the script keeps a copy of machine.config with a date in its name
verify: "Start a crawl, then run: fastctl diagnose --rule FS1067 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "Microsoft, After installing .NET security patches to address CVE-2018-8421, SharePoint crawler may fail (rows fa45 and 88bl of mssdmn.exe)"
    url: "https://github.com/MicrosoftDocs/OfficeDocs-SharePoint/blob/7c40f91e5e/SharePoint/SharePointServer/administration/after-installing-.NET-security-patches-to-address-CVE-2018-8421-SharePoint-crawler-may-fail.md"
  - title: "Microsoft, SqlConnection instantiation exception on .NET 4.6 and later after August-September 2018 .NET Framework updates"
    url: "https://support.microsoft.com/help/4470809/sqlconnection-install-throws-error-dot-net-4-6-after-recent-net-update"

"""##

private let FS1068 = ##"""
schema: fastctl.rule/1
id: FS1068
slug: content-processing-lacks-user-rights
revision: 1
status: stable
title: Content processing cannot start its parsers because a user right is missing
category: search
tags: [sharepoint, search, content processing, noderunner, user rights]

select:
  no_token:
    event_id: "ai3n0"
    message|contains: "SeAssignPrimaryTokenPrivilege"
  no_quota:
    event_id: "ai3n0"
    message|contains: "SeIncreaseQuotaPrivilege"

check:
  token:
    count: {of: no_token, gte: 1}
    label: "{count} start(s) failed without Replace a process level token (SeAssignPrimaryTokenPrivilege)"
  quota:
    count: {of: no_quota, gte: 1}
    label: "{count} start(s) failed without Adjust memory quotas for a process (SeIncreaseQuotaPrivilege)"

verdicts:
  - id: right-missing
    when: {any: [token, quota]}
    symptoms: [token, quota]
    severity: error
    confidence: likely
    message: "Content processing cannot start a parser because its process lacks a user right; it runs as the account of the SharePoint Search Host Controller."

explain:
  what: Content processing parses each document in a separate process with few rights, and the parser process could not be started.
  why: To start it, the account of the SharePoint Search Host Controller needs the rights Replace a process level token and Adjust memory quotas for a process. Often a group policy has taken them away.
  impact: Documents are not indexed; the crawl log says that the content processing pipeline failed to process the item.

fix:
  - step: Give the account of the SharePoint Search Host Controller the rights Replace a process level token and Adjust memory quotas for a process.
    where: local security policy, or the group policy that sets these rights, on all servers that run content processing
    effect: the account may start processes as other users, as the product intends
    undo: remove the account from the two rights
  - step: Restart the service SharePoint Search Host Controller.
    where: the same servers
    effect: crawling and queries that this server serves are interrupted
    undo: none needed
verify: "Start a crawl, then run: fastctl diagnose --rule FS1068 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "Microsoft, SharePoint crawl error \"The content processing pipeline failed to process the item\" (rows ai3n0, \"Parser server failed to start\", SeAssignPrimaryTokenPrivilege, SeIncreaseQuotaPrivilege)"
    url: "https://learn.microsoft.com/en-us/sharepoint/troubleshoot/search/parser-server-failed-to-start"

"""##

private let FS1073 = ##"""
schema: fastctl.rule/1
id: FS1073
slug: fast-content-plugin-out-of-memory
revision: 3
status: stable
title: The crawl for FAST Search waits because memory is fuller than its limit
category: search
tags: [fast search, sharepoint 2010, crawler, content plug-in, memory]

select:
  blocked:
    event_id: "dtv8"
    message|contains: "At memory capacity"
    # Pages that show the row may have put a no-break space before the number.
    capture: ["Load is {load}%", "block at {limit}%", "block at\u00A0{limit}%"]

check:
  waiting:
    count: {of: blocked, gte: 1}
    label: "{count} time(s) a document had to wait"
  blocked:
    count: {of: blocked, gte: 10, within: 10m}

verdicts:
  - id: memory-limit
    when: blocked
    symptoms: [waiting]
    severity: error
    confidence: likely
    message: "The content plug-in waits again and again before it sends documents to FAST Search: memory is fuller than its limit, at first {load|?}% with a limit of {limit|?}%."
  - id: memory-short
    when: waiting
    symptoms: [waiting]
    severity: warning
    confidence: likely
    message: "The content plug-in had to wait for memory before it sent documents to FAST Search ({waiting.count} row(s); at first {load|?}% full with a limit of {limit|?}%)."

explain:
  what: The content plug-in of the crawler stops handing documents to FAST Search while the server's memory is fuller than a limit, and resumes when it is below the limit again.
  why: The limit is 80 percent of the memory of the whole server, unless MaxMemoryLoad says otherwise. Other programs on the server count as well, SQL Server above all. Short waits are the way the crawler adapts, and are a warning; ten rows within ten minutes are an error. The row is known only in English.
  impact: While it lasts, the crawl stands still or is very slow; new content does not appear in search results.

fix:
  - step: Free memory on the server, for instance by a limit for SQL Server or by moving other services away, or add memory.
    where: the server that crawls
    effect: SQL Server gets slower with less memory; what is moved is interrupted meanwhile
    undo: none needed
  - step: On a development server only, raise the limit with New-SPEnterpriseSearchExtendedConnectorProperty (name MaxMemoryLoad, a value in percent), and restart SharePoint Search. The property is not documented by Microsoft.
    where: SharePoint Management Shell, for the FAST content search service application
    effect: the server may run out of memory; the restart interrupts a running crawl
    undo: remove the property and restart SharePoint Search
verify: "Let the crawl run for ten minutes, then run: fastctl diagnose --rule FS1073 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "Bas Lijten, FAST Search for SharePoint: crawler process blocked due to memory capacity limit (rows dtv8, \"At memory capacity. Load is 82%, configured to block at 80%\")"
    url: "https://github.com/BasLijten/blog/blob/0e47f62975/content/blog/fast-search-for-sharepoint-crawler-process-blocked-due-to-memory-capacity-limit/index.md"

"""##

private let FS1078 = ##"""
schema: fastctl.rule/1
id: FS1078
slug: cloud-search-throttled
revision: 2
status: stable
title: SharePoint Online throttles the crawl of the cloud search service application
category: search
tags: [sharepoint, hybrid, cloud search, crawler, throttling]

select:
  refused:
    event_id: "amn30"
    message|contains: "0x80040dd1"
  slowed_down:
    event_id: "amn28"
    message|contains: "throttling mode"

check:
  submissions:
    count: {of: refused, gte: 1}
    label: "{count} batch(es) refused with 0x80040dd1"
  often:
    count: {of: refused, gte: 10, within: 10m}
  mode:
    count: {of: slowed_down, gte: 1}
    label: "{count} row(s) report throttling mode"

verdicts:
  - id: refused-often
    when: often
    symptoms: [submissions, mode]
    severity: error
    confidence: likely
    message: "SharePoint Online throttles the crawl again and again: it refused {submissions.count} batch(es) of crawled items (0x80040dd1)."
  - id: submissions-refused
    when: submissions
    symptoms: [submissions, mode]
    severity: warning
    confidence: likely
    message: "SharePoint Online throttled the crawl: it refused {submissions.count} batch(es) of crawled items (0x80040dd1)."
  - id: throttling-mode
    when: mode
    symptoms: [mode]
    severity: warning
    confidence: likely
    message: "The crawl for the cloud index is in throttling mode: it sends fewer items than it could."

explain:
  what: The cloud search service application sends crawled items to the index of SharePoint Online, which asks it to slow down and refuses batches.
  why: How much is accepted depends on the rate of submissions and on the load of SharePoint Online. The crawler also asks for the state of each batch, which counts as requests. Some throttling is usual; ten refused batches within ten minutes are an error.
  impact: The crawl is slow, below one document a second in the known case; new content appears late in search results.

fix:
  - step: Crawl fewer items, or large content sources one after the other and outside working hours.
    where: content sources of the cloud search service application
    effect: some content is searchable later
    undo: restore the schedules
  - step: Ask Microsoft Support whether to set the property EnableNoGetStatusFlight of the cloud search service application to 1 (SetProperty, then Update()), and restart OSearch15 (OSearch16 in later versions) on the servers that crawl. The property is not documented; support provided it in the known case, and it made the crawl about twenty times faster.
    where: SharePoint Management Shell
    effect: the crawler no longer asks for the state of its batches; the restart interrupts a running crawl
    undo: set the property to 0 and restart the service
verify: "Let the crawl run for an hour, then run: fastctl diagnose --rule FS1078 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "The SharePoint Farm, Cloud search service application crawl performance (rows amn28, amn0i, amn30, 15y3)"
    url: "https://github.com/TheSharePointFarm/thesharepointfarm.github.io/blob/2b88bfe8d8/_posts/2016-12-08-cloud-search-service-application-crawl-performance.md"

"""##

private let FS1079 = ##"""
schema: fastctl.rule/1
id: FS1079
slug: cloud-search-quota-used-up
revision: 4
status: stable
title: SharePoint Online refuses items of the cloud search service application
category: search
tags: [sharepoint, hybrid, cloud search, crawler, quota]

select:
  forbidden:
    # SharePoint 2016 and later write ayg2m (and a9sz7 at Verbose), 2013 writes amnz2 and amoeu.
    event_id: ["ayg2m", "amnz2", "amoeu"]
    message|contains: "Forbidden"

check:
  refused:
    count: {of: forbidden, gte: 1}
    label: "{count} row(s) of ayg2m, amnz2 or amoeu report that an item was refused"
  often:
    count: {of: forbidden, gte: 10, within: 10m}

verdicts:
  - id: quota-used-up
    when: often
    symptoms: [refused]
    severity: error
    confidence: likely
    message: "SharePoint Online refuses crawled items again and again (Forbidden, {refused.count} row(s) of ayg2m, amnz2 or amoeu): the tenant's index quota for on-premises items may be used up, or the farm has lost its rights."
  - id: item-refused
    when: refused
    symptoms: [refused]
    severity: warning
    confidence: likely
    message: "SharePoint Online refused crawled items (Forbidden, {refused.count} row(s) of ayg2m, amnz2 or amoeu); a used-up index quota is possible, and so are missing rights of the farm."

explain:
  what: The cloud search service application sent an item to the index of SharePoint Online, which answered Forbidden.
  why: A tenant may index one million on-premises items for each terabyte of its storage, and 20 million at most. When the quota is used up, new items are refused. The row does not say so, because Forbidden may also mean that the trust between farm and tenant has ended or that the item itself is not accepted. Few refusals are a warning; all items of a crawl point to the quota or to the trust.
  impact: The refused items do not appear in search results; those already in the index stay.

fix:
  - step: Count the items in the tenant's index that come from on-premises (a search for IsExternalContent:true) and compare with the quota; if it is far below, check the trust with the tenant (the certificate and the SPTrustedSecurityTokenIssuer of the cloud search).
    where: Microsoft 365 search center, SharePoint Management Shell
    effect: none
    undo: none needed
  - step: Crawl less, for instance by leaving out content that nobody searches, and remove it from the index.
    where: content sources and crawl rules of the cloud search service application
    effect: the content that is left out is no longer found
    undo: crawl it again
  - step: Or have the quota raised, with more storage for the tenant, or by Microsoft Support above 20 million items.
    where: Microsoft 365 admin center
    effect: it costs money
    undo: give the storage back
verify: "Crawl again, then run: fastctl diagnose --rule FS1079 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "Microsoft, Cloud hybrid search service (Cloud SSA) FAQ (rows a9sz7 \"submit returned : Forbidden\" and ayg2m \"HTTP status: Forbidden\"; in SharePoint 2013 amnz2 and amoeu)"
    url: "https://github.com/MicrosoftDocs/OfficeDocs-SharePoint/blob/7c40f91e5e/SharePoint/SharePointServer/hybrid/cloud-hybrid-search-faq.md"

"""##

private let FS1082 = ##"""
schema: fastctl.rule/1
id: FS1082
slug: workflow-codedom-type-not-authorized
revision: 3
status: stable
title: A workflow is not compiled because a type is not authorized
category: workflow
tags: [sharepoint, workflow, .net, cve-2018-8421, web.config, authorizedTypes]

select:
  not_authorized:
    event_id: "72fs"
    message|contains|all: ["<CompilerError", "System.CodeDom."]
    capture: "System.CodeDom.{type} "
  with_key: # since the updates of September 2024
    event_id: "72fs"
    # Other errors of the compiler have the type in quotes.
    message|contains|all: ["<CompilerError", " Microsoft.SharePoint.WorkflowActions."]
    capture: "Microsoft.SharePoint.WorkflowActions.{action} "

check:
  stopped:
    count: {of: not_authorized, gte: 1}
    label: "{count} workflow(s) could not run for want of a type of System.CodeDom"
  stopped_by_action:
    count: {of: with_key, gte: 1}
    label: "{count} workflow(s) could not run for want of a type of Microsoft.SharePoint.WorkflowActions"

verdicts:
  - id: action-not-authorized
    when: stopped_by_action
    symptoms: [stopped, stopped_by_action]
    severity: error
    confidence: likely
    message: "A workflow cannot run because the compiler refuses type Microsoft.SharePoint.WorkflowActions.{action|(unknown)}. Mostly it is not among the authorized types of the configuration."
  - id: type-not-authorized
    when: stopped
    symptoms: [stopped]
    severity: error
    confidence: likely
    message: "A workflow cannot run because the compiler refuses type System.CodeDom.{type|(unknown)}. Mostly it is not among the authorized types of the configuration."

explain:
  what: A SharePoint 2010 workflow is compiled before it runs, and the compiler refuses a type that the configuration does not authorize.
  why: Since the September 2018 updates of .NET Framework (CVE-2018-8421), workflows may only use types that are listed in authorizedTypes. Types of System.CodeDom, which workflow rules use, are not listed in older installations of SharePoint. Since the updates of September 2024, types of Microsoft.SharePoint.WorkflowActions such as WithKey must be listed as well.
  impact: Workflows that come with SharePoint, and those of SharePoint Designer and some other products, do not start, or stop with an error.

fix:
  - step: Install the cumulative update of November 2018 or a later one, and run the configuration wizard.
    where: all servers of the farm
    effect: the farm is offline while the wizard runs
    undo: none; SharePoint updates cannot be removed
    when: type-not-authorized
  - step: "If the row still appears, add the authorizedType entries for System.CodeDom that KB 4465015 lists (including System.CodeDom.{type|*}), below System.Workflow.ComponentModel.WorkflowCompiler/authorizedTypes."
    where: web.config of each web application on each server, and OWSTIMER.EXE.CONFIG of each server
    effect: saving a web.config recycles the application domain; restart the SharePoint timer service
    undo: remove the entries
    when: type-not-authorized
  - step: "Add an authorizedType entry for the assembly and the namespace Microsoft.SharePoint.WorkflowActions (TypeName {action|*}, Authorized True), below System.Workflow.ComponentModel.WorkflowCompiler/authorizedTypes (for WithKey, the two entries that KB 5043462 gives); then repeat for the next type that the row names."
    where: web.config of each web application on each server, and OWSTIMER.EXE.CONFIG of each server
    effect: saving a web.config recycles the application domain; restart the SharePoint timer service
    undo: remove the entries
    when: action-not-authorized
verify: "Start a workflow, then run: fastctl diagnose --rule FS1082 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "Matt Thornton, Nintex workflows fail to run after security patching (KB5002624 of September 2024, authorizedTypes)"
    url: "https://matt-thornton.net/tech/nintex-workflows-fail-to-run-after-security-patch-update"
  - title: "Microsoft, SharePoint workflows stop after CVE-2018-8421 security update (row 72fs, \"Type System.CodeDom.CodeBinaryOperatorExpression is not marked as authorized\")"
    url: "https://support.microsoft.com/help/4465015"
  - title: "sharepointjungs.de, Nintex Workflows starten nicht mehr nach .NET-Update (the update of November 2018; other products need entries by hand)"
    url: "https://www.sharepointjungs.de/2019/02/04/nintex-workflows-starten-nicht-mehr-nach-net-update/"

"""##

private let FS1083 = ##"""
schema: fastctl.rule/1
id: FS1083
slug: workflow-blocked-by-validation
revision: 1
status: stable
title: A workflow is blocked by the check of its file
category: workflow
tags: [sharepoint, workflow, nintex, authorizedTypes, xoml, security update]

select:
  # Microsoft names these events as the sign of each change.
  preparse: # since July 2021
    event_id: [c42q8, c42ra, c42rh]
  dictionary: # since September 2024
    event_id: c42q0
  encoding: # since October 2022
    event_id: 6ksbk

check:
  preparse:
    count: {of: preparse, gte: 1}
    label: "{count} time(s) a part of a workflow was not authorized (c42q8, c42ra, c42rh)"
  dictionary:
    count: {of: dictionary, gte: 1}
    label: "{count} time(s) a type that inherits from IDictionary was not authorized (c42q0)"
  encoding:
    count: {of: encoding, gte: 1}
    label: "{count} time(s) a workflow file was not in UTF-8 (6ksbk)"

verdicts:
  - id: dictionary-type
    when: dictionary
    symptoms: [dictionary, preparse, encoding]
    severity: error
    confidence: likely
    message: "A workflow is blocked because a type is not authorized, by the check that the updates of September 2024 brought: types that inherit from IDictionary, such as Microsoft.SharePoint.WorkflowActions.WithKey, must be authorized."
  - id: part-not-authorized
    when: preparse
    symptoms: [preparse, encoding]
    severity: error
    confidence: likely
    message: "A workflow is blocked because a part of it is not authorized, by the check that the updates of July 2021 brought."
  - id: not-utf8
    when: encoding
    symptoms: [encoding]
    severity: error
    confidence: likely
    message: "A workflow is blocked because its file is not in UTF-8, as the updates of October 2022 demand."

explain:
  what: Before a SharePoint 2010 workflow is read, SharePoint checks its file, and blocks it if a part is not allowed.
  why: Three security updates made the check stricter. Since July 2021, parts that are neither Microsoft's nor authorized are blocked; since October 2022, files in another encoding than UTF-8; since September 2024, types that inherit from IDictionary. The row of the event names the part. Entries in web.config alone are not enough, because the timer service runs workflows too.
  impact: The workflows concerned cannot be published, do not start or stop with an error; workflows of Nintex are among them.

fix:
  - step: "Read which type or part the row names, and add it to authorizedTypes (System.Workflow.ComponentModel.WorkflowCompiler) after you have checked that it is safe; for c42q0 these are the two entries for Microsoft.SharePoint.WorkflowActions that KB 5043462 gives."
    where: web.config of each web application on each server, and OWSTIMER.EXE.CONFIG of each server
    effect: saving a web.config recycles the application domain; restart the SharePoint timer service
    undo: remove the entries
    when: [dictionary-type, part-not-authorized]
  - step: "If workflows of SharePoint itself are blocked, ask Microsoft; only as a bridge until then: $f = Get-SPFarm; $f.EnablePreParseSecurityCheckForWorkflow = $false; $f.Update()."
    where: SharePoint Management Shell
    effect: the check is off for the whole farm, and with it the protection
    undo: set it to $true again
    when: part-not-authorized
  - step: "Save the workflow's .xoml file in UTF-8, with an XML declaration that says so, and deploy it again."
    where: SharePoint Designer, or the file that was edited by hand
    effect: running instances keep the old version
    undo: none needed
    when: not-utf8
verify: "Publish and start a workflow, then run: fastctl diagnose --rule FS1083 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "Microsoft, Some scenarios of SharePoint 2010 workflow are affected after the July security update (KB5004862: c42q8, c42ra, c42rh)"
    url: "https://support.microsoft.com/en-us/topic/some-scenarios-of-sharepoint-2010-workflow-are-affected-after-applying-the-july-security-update-for-sharepoint-server-kb5004862-be361cd6-9f54-48c4-b890-2c4b7cf49d13"
  - title: "Rocketta, Probleme mit SharePoint- und Nintex-Workflows nach dem September/Oktober 2024 CU (c42q0, both configuration files)"
    url: "https://rocketta.de/probleme-mit-sharepoint-und-nintex-workflows-nach-dem-september-oktober-2024-cu/"
  - title: "Microsoft, SharePoint 2010 workflows might be blocked by enhanced security policy (KB5020238: 6ksbk, UTF-8)"
    url: "https://support.microsoft.com/sv-se/topic/sharepoint-2010-workflows-might-be-blocked-by-enhanced-security-policy-kb5020238-eb91e24d-eea4-4490-a281-86503adc8b27"

"""##

private let FS1087 = ##"""
schema: fastctl.rule/1
id: FS1087
slug: profile-sync-database-is-mirrored
revision: 2
status: stable
title: User profile synchronization is not set up because its database is mirrored or in a group
category: user profiles
tags: [sharepoint 2010, sharepoint 2013, user profile synchronization, sql server, availability group, mirroring]

select:
  broker_refused: # one setup writes both rows
    - event_id: "g144"
      message|contains: "database mirroring session"
      capture: "on database {database} on server {server}. Exception"
    - event_id: "9sip" # 1468 is SQL Server's error number for what a mirrored database does not allow.
      message|contains|all: ["SynchronizationDatabase.EnableServiceBroker(", ":1468,"]

check:
  broker:
    count: {of: broker_refused, distinct: request, gte: 1}
    label: "{count} setup(s) of the synchronization in which the Service Broker of the database was refused"

verdicts:
  - id: database-mirrored
    when: broker
    symptoms: [broker]
    severity: error
    confidence: likely
    message: "SQL Server refuses to enable the Service Broker in {database|the synchronization database} on {server|SQL Server}, which is in an availability group or a mirroring session; user profile synchronization does not start then."

explain:
  what: When the User Profile Synchronization service starts, it enables the Service Broker in its database, and SQL Server refuses that.
  why: SQL Server does not allow that change (error 1468) while the database is in an availability group or a mirroring session.
  impact: The service stays in the state Starting, and user profiles are not synchronized.

fix:
  - step: "Remove {database|the synchronization database} from the availability group, or end its mirroring session."
    where: SQL Server
    effect: the database has no second copy meanwhile
    undo: see the last step
  - step: Start the User Profile Synchronization service and wait until it is Started.
    where: Central Administration, services on server
    effect: none
    undo: stop the service
  - step: Put the database back into the availability group or mirroring session.
    where: SQL Server
    effect: none
    undo: the first step
verify: "Start the service, then run: fastctl diagnose --rule FS1087 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "Microsoft, Cannot start the User Profile Synchronization service (rows g144 \"Failed to set the new Service Broker on database\" and 9sip, Error Number:1468)"
    url: "https://github.com/MicrosoftDocs/OfficeDocs-Support/blob/36878e0e10/SharePoint/SharePointServer/administration/cannot-start-the-user-profile-synchronization-service.md"

"""##

private let FS1088 = ##"""
schema: fastctl.rule/1
id: FS1088
slug: user-profile-application-not-available
revision: 3
status: stable
title: No User Profile service application is available to a caller
category: services
tags: [sharepoint, user profiles, my site, service application, proxy]
needs: {uls: required, farm: optional}
supersedes: [FS1002]

select:
  # Each row is of one kind.
  no_proxy: # the proxy knows no service application: none in the group, or one of another farm
    - level|gte: High
      message|contains|all: ["UserProfileApplicationNotAvailableException", "has null upa"]
    - event_id: 8nca
      message|contains: "has null upa"
  no_properties: # the proxy is there, but the service does not answer to this account
    - level|gte: High
      message|contains|all: ["UserProfileApplicationNotAvailableException", "ProfilePropertyCache does not have"]
    - event_id: 8nca
      message|contains: "ProfilePropertyCache does not have"
  other:
    - level|gte: High
      message|contains: "UserProfileApplicationNotAvailableException"
      message|contains|none: ["has null upa", "ProfilePropertyCache does not have"]
    - event_id: 8nca
      message|contains: "No User Profile Application available to service the request"
      message|contains|none: ["has null upa", "ProfilePropertyCache does not have"]

check:
  no_proxy:
    count: {of: no_proxy, distinct: request, gte: 1}
    label: "{count} request(s) for which the proxy led to no User Profile service application"
  no_properties:
    count: {of: no_properties, distinct: request, gte: 1}
    label: "{count} request(s) or command(s) to which the service did not answer"
  other:
    count: {of: other, distinct: request, gte: 1}
    label: "{count} request(s) or job(s) without the service, for a reason that is not named"
  no_application:
    farm: {application: UserProfileApplication, online: false}
  stopped:
    farm: {service: UserProfileServiceInstance, runs: false}

verdicts:
  - id: no-application
    when: {all: [{any: [no_proxy, no_properties, other]}, no_application]}
    symptoms: [no_proxy, no_properties, other]
    severity: warning
    confidence: certain
    message: "No User Profile service application was available, and the farm has none that is online."
  - id: service-stopped
    when: {all: [{any: [no_properties, other]}, stopped]}
    symptoms: [no_proxy, no_properties, other]
    severity: warning
    confidence: certain
    message: "The User Profile service is not available, and it runs on no server of the farm."
  - id: no-proxy
    when: no_proxy
    symptoms: [no_proxy, no_properties, other]
    severity: warning
    confidence: likely
    message: "A caller found no User Profile service application behind the proxy. Mostly none is in the proxy group, or the one there leads to another farm whose service is not published, trusted or permitted."
  - id: no-answer
    when: no_properties
    symptoms: [no_properties, other]
    severity: warning
    confidence: likely
    message: "A caller got no properties from the User Profile service. Mostly its account has no Full Control on the service application, or the service is stopped."
  - id: not-available
    when: other
    symptoms: [other]
    severity: warning
    confidence: likely
    message: "The User Profile service is not available to some requests or jobs; which of its parts is missing is not in the row."

explain:
  what: A page, a job or a command asked for user profiles, and SharePoint found no User Profile service that it may use.
  why: The proxy of the service application is not in the proxy group of the web application, or the service application behind it is that of another farm, which some commands and pages cannot use and which needs trust and rights there ("has null upa"), the User Profile service is stopped on all servers, or the account that asks, such as that of an application pool or of somebody at the command line, has no permission on the service application ("ProfilePropertyCache does not have"). Farms without My Sites may log this all the time and miss nothing.
  impact: My Sites, the newsfeed, audiences, social features and people data do not work for the web application concerned.

fix:
  - step: "See which proxies the web application has: (Get-SPWebApplication URL).ServiceApplicationProxyGroup.Proxies | Select TypeName, Status."
    where: SharePoint Management Shell
    effect: none
    undo: none needed
  - step: "See whether the service runs: Get-SPServiceInstance | Where TypeName -eq 'User Profile Service' | Select Server, Status."
    where: SharePoint Management Shell
    effect: none
    undo: none needed
  - step: "If the farm uses the service of another farm: see that the service is published there (Get-SPServiceApplication | Select-Object DisplayName, Uri, Shared), that the farms trust each other (Get-SPTrustedRootAuthority) and that this farm has rights on it; run commands that need the service application itself on that farm."
    where: SharePoint Management Shell of both farms
    effect: none
    undo: none needed
    when: [no-proxy]
  - step: Create the service application, or start the one that is not online; farms without My Sites may do without.
    where: Central Administration, Manage service applications
    effect: profiles, My Sites and the newsfeed become available
    undo: delete the service application
    when: no-application
  - step: Start the User Profile Service on a server that should run it.
    where: Central Administration, Manage services on server
    effect: pages use the service at once
    undo: stop the service
    when: service-stopped
  - step: "Add the proxy to the group of the web application (Central Administration, Configure service application associations)."
    where: Central Administration
    effect: pages of the web application use the service at once
    undo: remove the proxy from the group
    when: [no-proxy, not-available]
  - step: "Give the account Full Control under Permissions of the User Profile service application, and Administrators if it administers profiles; then start the service where it should run."
    where: Central Administration, Manage service applications
    effect: the account may read and change profiles
    undo: take the permission away
    when: [no-answer, not-available]
verify: "Open a profile page of the web application, then run: fastctl diagnose --rule FS1088 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "SharePointDsc #214 (\"UserProfileApplicationNotAvailableException_Logging :: UserProfileApplicationProxy.ApplicationProperties ProfilePropertyCache does not have\", the account lacked Full Control)"
    url: "https://github.com/dsccommunity/SharePointDsc/issues/214"
  - title: "Microsoft, OfficeDocs-Support, user-profile-service-application-not-function (the proxy group)"
    url: "https://github.com/MicrosoftDocs/OfficeDocs-Support/blob/36878e0e10/SharePoint/SharePointServer/administration/user-profile-service-application-not-function.md"

"""##

private let FS1089 = ##"""
schema: fastctl.rule/1
id: FS1089
slug: my-site-creation
revision: 3
status: stable
title: A personal site is not created
category: user-profiles
tags: [sharepoint, my-site, user-profiles]
supersedes: [FS1002, FS1018]

select:
  creation_failed:
    event_id: "5187"
    area: SharePoint Portal Server
    capture: "for user '{user}' for site url '{url}'"
  missing_method: # a signature with its return type: no stack frame reads so
    - event_id: [8nca, ajlz0, ogsj]
      message|contains: "Microsoft.SharePoint.SPSite Microsoft.SharePoint.SPSite.SelfServiceCreateSite("
    - level|gte: Monitorable
      message|contains: "Microsoft.SharePoint.SPSite Microsoft.SharePoint.SPSite.SelfServiceCreateSite("
  no_managed_path: # the exception has this cause among others
    - event_id: ["5187", ogsj]
      message|contains|all: [Microsoft.Office.Server.UserProfiles.PersonalSiteCreateConfigurationException, "wildcard inclusion"]
  bad_configuration:
    - event_id: ogsj
      message|contains: Microsoft.Office.Server.UserProfiles.PersonalSiteCreateConfigurationException
    - level|gte: Monitorable
      message|contains: Microsoft.Office.Server.UserProfiles.PersonalSiteCreateConfigurationException
  reported: # the bucket of an error report ends with the tag of the row that it reports
    event_id: c91s
    message|contains: '"ajjul"'

check:
  failed:
    count: {of: creation_failed, distinct: request, gte: 1}
    label: "{count} personal site(s) could not be created, the first for {user|a user}"
  missing:
    count: {of: missing_method, distinct: request, gte: 1}
    label: "{count} request(s) or job(s) called a form of SPSite.SelfServiceCreateSite that the process does not find"
  configuration:
    count: {of: bad_configuration, distinct: request, gte: 1}
    label: "{count} request(s) or job(s) met a wrong configuration for personal sites"
  managed_path:
    count: {of: no_managed_path, gte: 1}
  reported:
    count: {of: reported, gte: 1}
    label: "{count} error report(s) (c91s) of row ajjul, the exception of the job that creates personal sites"

verdicts:
  - id: missing-method
    when: missing
    symptoms: [failed, missing, reported]
    severity: error
    confidence: likely
    message: "A personal site is not created: the code calls a form of SPSite.SelfServiceCreateSite that the process does not find; an update that is faulty or was installed only in part is the usual cause ({user|user not logged}, {url|address not logged})."
  - id: managed-path
    when: managed_path
    symptoms: [failed, configuration, reported]
    severity: error
    confidence: likely
    message: "A personal site is not created: SharePoint finds no wildcard managed path for its address ({user|user not logged}, {url|address not logged})."
  - id: configuration
    when: configuration
    symptoms: [failed, configuration, reported]
    severity: error
    confidence: likely
    message: "A personal site is not created: SharePoint calls its configuration wrong, and the row says what; often a managed path is missing ({user|user not logged}, {url|address not logged})."
  - id: failed
    when: failed
    symptoms: [failed, reported]
    severity: error
    confidence: likely
    message: "The personal site of {user|a user} was not created at {url|an address that the row does not say}."

explain:
  what: The job or page that creates personal sites failed (event 5187).
  why: >-
    Either the user profile assembly calls SPSite.SelfServiceCreateSite and the installed build does not have it, as
    with the December 2012 update KB2752058 for SharePoint 2013; or the wildcard managed path that the personal site
    location names does not exist in the My Site web application. Both are known causes, not the only ones: compare
    builds and settings before you change anything. Otherwise the exception in the row says why.
  impact: New users get no personal site and no OneDrive; existing sites are not affected.

fix:
  - step: Compare the builds of all servers (Central Administration, Manage servers and patch status), and the file that the first frame names with the same file on another server.
    where: Central Administration, this server and another one
    when: missing-method
  - step: If builds or files differ, or if the December 2012 update is installed, install KB2752001 or any later update, and run the configuration wizard.
    where: all servers of the farm
    effect: the farm is down while the wizard runs
    undo: an update cannot be removed; have a backup of the farm and its databases
    when: missing-method
  - step: >-
      Compare the personal site location in Setup My Sites with the managed paths of the My Site web application, and
      add the missing one with New-SPManagedPath -RelativeURL personal -WebApplication URL.
    where: once for the farm
    effect: takes effect at once, for new sites
    undo: Remove-SPManagedPath
    when: [missing-method, managed-path, configuration]
  - step: Read the exception in row 5187, and see the whole job with fastctl logs trace CORRELATION.
    when: [configuration, failed]
verify: >-
  Let a user without a personal site open OneDrive; fastctl diagnose --rule FS1089 --since TIME-OF-THE-CHANGE LOGS must
  find nothing.

references:
  - title: >-
      December 2012 patch for SharePoint 2013 breaks MySite site creation: 5187 with MissingMethodException, and 5187 with
      "wildcard inclusion used to create personal sites does not exist"
    url: https://github.com/TheSharePointFarm/thesharepointfarm.github.io/blob/HEAD/_posts/2013-01-03-december-2012-patch-for-sharepoint-2013-breaks-mysite-site-creation.md
  - title: KB2752001, the update that brings the method back
    url: http://support.microsoft.com/kb/2752001

"""##

private let FS1090 = ##"""
schema: fastctl.rule/1
id: FS1090
slug: secure-store-credentials
revision: 2
status: stable
title: The Secure Store gives no credentials
category: services
tags: [sharepoint, secure store, target application, excel services, powerpivot, external data]

select:
  # 0x80630001 is the Secure Store's number for credentials that were not found.
  not_found:
    - level|gte: High
      message|contains: "80630001"
    - event_id: elm4
      message|contains: "80630001"
  not_member:
    level|gte: Medium
    category|contains: Secure Store
    message|contains: "Claims stored in the credentials did not match with the group claim"
  no_key:
    level|gte: High
    message|contains: ["Unable to obtain master key", "failed to retrieve the master secret key"]
  failed:
    event_id: "7493"
    capture: "The error returned was '{error}'"

check:
  no_key:
    count: {of: no_key, gte: 1}
    label: "{count} time(s) the server had no master key"
  not_found:
    count: {of: not_found, gte: 1}
    label: "{count} time(s) there were no credentials for the user"
  not_member:
    count: {of: not_member, gte: 1}
    label: "{count} time(s) the user was not a member of the target application"
  failed:
    count: {of: failed, gte: 1}
    label: "{count} time(s) the service gave no credentials (7493)"

verdicts:
  - id: no-key
    when: no_key
    symptoms: [no_key, not_member, not_found, failed]
    severity: warning
    confidence: likely
    message: "The Secure Store did not get its master key, without which it decrypts nothing. Mostly none was generated, or this server does not have it."
  - id: not-a-member
    when: not_member
    symptoms: [not_member, not_found, failed]
    severity: warning
    confidence: likely
    message: "The Secure Store refuses credentials because the user's claims do not match the group of the target application. Mostly the user is not among its members, or the group has another form."
  - id: no-credentials
    when: not_found
    symptoms: [not_found, failed]
    severity: warning
    confidence: likely
    message: "The Secure Store found no credentials for the caller (80630001). Mostly none were set for the target application, or the account that asks is not a member."
  - id: failed
    when: failed
    symptoms: [failed]
    severity: warning
    confidence: likely
    message: "The Secure Store gave no credentials ({error|the row says why})."

explain:
  what: Excel Services, PowerPivot, external lists or other parts asked the Secure Store for the credentials of a target application and got none.
  why: In a group application the user must be a member; the claim of the group is compared, so that a group of another form (Windows or claims) does not match. In an individual application each user must set credentials first. Without the master key on the server nothing can be decrypted; none was generated yet, or the database came from elsewhere. Error 80630001 means that no credentials were found for who asks; for the unattended account that is the account of the service.
  impact: Data of workbooks, diagrams or external lists are not refreshed for that user.

fix:
  - step: "See the application and its members: Get-SPSecureStoreApplication -ServiceContext URL -All | Select -Expand TargetApplication | Select Name, Type. Who asks is often a service account and not the user: a scheduled refresh of PowerPivot needs its own and the farm account as members of a group application, and for a source with credentials of its own, such as Oracle, a second application for these."
    where: SharePoint Management Shell
    effect: none
    undo: none needed
  - step: Add the user, or a group in which the user is, to the members of the target application; take the group in the form that the web application uses (claims).
    where: Central Administration, Secure Store Service
    effect: the members can use the stored credentials
    undo: remove the member
    when: [not-a-member, no-credentials]
  - step: Set the credentials of the target application (Set Credentials), for each user in an individual application.
    where: Central Administration, Secure Store Service
    effect: the former credentials are replaced
    undo: set the former credentials
    when: [no-credentials, failed]
  - step: If the service had a key, as after a move of the database, choose Refresh Key and enter its passphrase. Choose Generate New Key only if there never was one, or if you can do without what is stored; back up the database first.
    where: Central Administration, Secure Store Service
    effect: with its key, the servers can decrypt what is stored; a new key replaces it, and credentials that only the former key decrypts have to be set again
    undo: none needed for Refresh Key; else restore the database, with the passphrase of its key
    when: no-key
verify: "Refresh the data, then run: fastctl diagnose --rule FS1090 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "Reality Tech, Unable to obtain master key (\"failed to retrieve the master secret key\"; Refresh Key after a database was moved)"
    url: "http://www.reality-tech.com/tag/master-key/"
  - title: "Jeremy Jameson, Error 7493 (\"Access is denied\") viewing TFS dashboard (\"Claims stored in the credentials did not match with the group claim for a group app\")"
    url: "https://blogs.msdn.microsoft.com/jjameson/2010/05/13/error-7493-access-is-denied-viewing-tfs-dashboard-in-sharepoint-server-2010/?replytocom=3074"
  - title: "Microsoft, SSOReturnCodes class (0x80630001: credentials could not be found)"
    url: "https://learn.microsoft.com/en-us/previous-versions/office/developer/sharepoint2003/dd583261(v=office.11)"

"""##

private let FS1091 = ##"""
schema: fastctl.rule/1
id: FS1091
slug: secure-store-key-not-changed
revision: 5
status: stable
title: The master key of the Secure Store Service is not changed
category: services
tags: [sharepoint, secure store, master key, sharepoint 2016]
needs: {uls: required, farm: optional}

select:
  no_identity:
    # 1008 is ERROR_NO_TOKEN.
    event_id: "7fd9"
    message|contains: "LastError=1008"
  rights_check_failed: # thread without an identity, seen from the other end: the rights of nobody cannot be found
    event_id: "eft9"
    message|contains|all: ["ChangeMasterSecretKey", "CalculatePermissions"]
  affected_build: # June, July and August 2017, in the bucket of a crash report or a row about an upgrade
    event_id: [c91s, ajyxu]
    message|contains: ["16.0.4549.", "16.0.4561.", "16.0.4573."]
  key_failed:
    event_id: "eft9"
    message|contains: "ChangeMasterSecretKey"
    capture: "exception : {exception}: "

check:
  lost_identity:
    sequence: {by: request, steps: [no_identity, rights_check_failed]}
    label: "{count} attempt(s) failed after the thread acted for nobody (7fd9, error 1008)"
  build:
    count: {of: affected_build, gte: 1}
    label: "{count} row(s) name a build of June to August 2017"
  failed:
    count: {of: key_failed, gte: 1}
    label: "{count} attempt(s) failed"
  farm_build: # June to August 2017
    farm: {build: {from: 16.0.4549, below: 16.0.4574}}

verdicts:
  - id: known-bug
    when: {all: [lost_identity, build]}
    symptoms: [lost_identity, build]
    severity: error
    confidence: likely
    message: "The master key was not generated: the caller's rights were checked on a thread that acted for nobody, as by a known bug of SharePoint 2016 with the updates of June to August 2017, which the log names."
  - id: known-bug-of-the-farm
    when: {all: [lost_identity, farm_build]}
    symptoms: [lost_identity]
    severity: error
    confidence: likely
    message: "The master key was not generated: the caller's rights were checked on a thread that acted for nobody, as by a known bug of SharePoint 2016 with the updates of June to August 2017, which a server of the farm has."
  - id: other-build
    when: {all: [lost_identity, {not: farm_build}]}
    symptoms: [lost_identity]
    severity: warning
    confidence: likely
    message: "The master key was not generated: the caller's rights were checked on a thread that acted for nobody. The known bug of June to August 2017 is hardly the cause: no server of the farm has such a build."
  - id: no-identity
    when: lost_identity
    symptoms: [lost_identity]
    severity: warning
    confidence: likely
    message: "The master key was not generated: the caller's rights were checked on a thread that acted for nobody. SharePoint 2016 with the updates of June to August 2017 does this; the log does not name the build."
  - id: key-not-changed
    when: failed
    symptoms: [failed]
    severity: warning
    confidence: likely
    message: "The master key of the Secure Store Service was not changed ({exception|exception unknown})."

explain:
  what: Somebody tried to generate a new master key for the Secure Store Service, and the service refused it or failed.
  why: The service checks whether the caller administers it. In SharePoint 2016 with the updates of June to August 2017, that check runs on a thread that acted for nobody (OpenThreadToken fails with 1008) and fails for everybody. The row "LastError=1008" alone says nothing, because many parts of the product write it; so the failure of the rights check must follow it in the same request, and only the build makes it the known bug. Other exceptions mean other causes, such as a caller who is not a farm administrator.
  impact: Without a master key no credentials can be stored or read, so connections of Excel Services, Business Connectivity Services and others fail.

fix:
  - step: Find the build of the farm with (Get-SPFarm).BuildVersion; it is the known bug only from 16.0.4549 to 16.0.4573.
    where: SharePoint Management Shell
    effect: none
    undo: none needed
    when: no-identity
  - step: If it is one of those builds, install an update of SharePoint 2016 newer than that of August 2017 on all servers, run the configuration wizard, and generate the key again.
    where: all servers of the farm
    effect: the farm is offline while the wizard runs
    undo: none; SharePoint updates cannot be removed
    when: [known-bug, known-bug-of-the-farm, no-identity]
  - step: If that is not possible, create the service application and its key in SharePoint 2013 and upgrade the database. Refreshing a key works.
    where: a farm of SharePoint 2013, then this one
    effect: none on other services
    undo: delete the service application
    when: [known-bug, known-bug-of-the-farm]
  - step: Generate the key as a farm administrator who also administers the service application, and read the exception in the evidence if it fails again.
    where: Central Administration, Secure Store Service
    effect: stored credentials are encrypted again
    undo: restore the database of the Secure Store from a backup, with its old key
    when: [no-identity, other-build, key-not-changed]
verify: "Generate the key, then run: fastctl diagnose --rule FS1091 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "The SharePoint Farm, SharePoint 2016 Secure Store master key bug (rows 7fd9 \"Failed to OpenThreadToken, LastError=1008\" and eft9 \"ChangeMasterSecretKey failed\")"
    url: "https://github.com/TheSharePointFarm/thesharepointfarm.github.io/blob/2b88bfe8d8/_posts/2017-08-11-sharepoint-2016-secure-store-master-key-bug.md"

"""##

private let FS1093 = ##"""
schema: fastctl.rule/1
id: FS1093
slug: powerpivot-refresh-times-out
revision: 3
status: stable
title: A data refresh of PowerPivot times out
category: services
tags: [sharepoint 2016, powerpivot, data refresh, timeout]

select:
  timed_out:
    # Event 99 is used for other rows of PowerPivot too.
    event_id: "99"
    category: Data Refresh
    message|contains|all: ["System.Net.WebException", "timed out"]

check:
  refreshes:
    count: {of: timed_out, gte: 1}
    label: "{count} refresh(es) timed out"
  again:
    count: {of: timed_out, gte: 3}

verdicts:
  - id: refresh-timed-out
    when: again
    symptoms: [refreshes]
    severity: error
    confidence: likely
    message: "Data refreshes of PowerPivot time out ({refreshes.count} row(s)). A known cause is the limit of 100 seconds for one data source in SharePoint 2016."
  - id: one-refresh-timed-out
    when: refreshes
    symptoms: [refreshes]
    severity: warning
    confidence: likely
    message: "A data refresh of PowerPivot timed out ({refreshes.count} row(s)); why is not in the row."

explain:
  what: PowerPivot for SharePoint asked for the data of a workbook to be refreshed and got no answer in time.
  why: In SharePoint 2016 the refresh of a single data source is limited to 100 seconds, unless the farm has the property WopiProxyRequestTimeout. The row names neither the version nor the limit, nor why the source needs longer. A slow or unreachable source, or a busy Analysis Services, gives the same row. It is recognized only in English.
  impact: The workbook keeps its old data.

fix:
  - step: Run the query of the data source by hand and measure it; near or above 100 seconds, the limit is the cause, below it look at the network and at Analysis Services.
    where: the server that runs PowerPivot for SharePoint
    effect: none
    undo: none needed
  - step: Make the query of the data source faster, or split it into several data sources.
    where: the workbook, or the database behind it
    effect: none on other workbooks
    undo: restore the previous version of the workbook
  - step: "If the query cannot be faster, in SharePoint 2016 raise the limit with care: $f = Get-SPFarm; $f.Properties.Add('WopiProxyRequestTimeout', MILLISECONDS); $f.Update()."
    where: SharePoint Management Shell
    effect: holds for the whole farm; long refreshes load PowerPivot, SharePoint and Office Online Server
    undo: "$f.Properties.Remove('WopiProxyRequestTimeout'); $f.Update()"
verify: "Refresh the workbook, then run: fastctl diagnose --rule FS1093 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "Microsoft, PowerPivot scheduled data refresh fails (row 99, \"EXCEPTION: System.Net.WebException: The operation has timed out\" in category Data Refresh; the limit, and WopiProxyRequestTimeout)"
    url: "https://github.com/MicrosoftDocs/OfficeDocs-Support/blob/36878e0e10/SharePoint/SharePointExperts/administration/powerpivot-scheduled-data-refresh-fails.md"

"""##

private let FS1095 = ##"""
schema: fastctl.rule/1
id: FS1095
slug: visio-cache-not-readable
revision: 1
status: stable
title: The Visio Graphics Service cannot use its cache
category: services
tags: [sharepoint, visio graphics service, cache, antivirus]

select:
  failed:
    event_id: "8079"
    message|contains: "GraphicsServer.DiskCache."
    capture: "for file {file} "
  no_cache:
    event_id: "9004"
    area: Visio Graphics Service

check:
  failed:
    count: {of: failed, gte: 1}
    label: "{count} diagram(s) could not be drawn because a file of the cache could not be read"
  no_cache:
    count: {of: no_cache, gte: 1}
    label: "{count} time(s) the cache could not be used"

verdicts:
  - id: diagram-not-drawn
    when: failed
    symptoms: [failed, no_cache]
    severity: error
    confidence: likely
    message: "Visio diagrams are not drawn, first {file|(not logged)}: the service failed in its disk cache. Mostly a file of it is missing or cannot be read."
  - id: cache-not-used
    when: no_cache
    symptoms: [no_cache]
    severity: warning
    confidence: likely
    message: "The Visio Graphics Service cannot use its cache."

explain:
  what: The Visio Graphics Service keeps what it has drawn in files below Data\VisioServer and cannot read one that it wrote.
  why: The known case is an application pool that has run for days without being recycled and looks for a file that is no longer there. Antivirus or cleaning software that removes or holds the file, or an account of the pool without rights on the folder, gives the same.
  impact: Users see an error instead of the diagram.

fix:
  - step: Recycle the application pool of the Visio Graphics Service, and let it be recycled once a day.
    where: IIS on the servers that run the service
    effect: diagrams that are being drawn fail once
    undo: restore the former schedule
  - step: Exclude the folder Data\VisioServer below Microsoft Office Servers from virus scans, and see that the account of the application pool may modify it (icacls FOLDER).
    where: the servers that run the service
    effect: files in that folder are not scanned when they are opened
    undo: remove the exclusion
verify: "Open the diagram, then run: fastctl diagnose --rule FS1095 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "Microsoft, Visio Graphics Service application pool not recycled (9004 \"Failed to access the cache\", 8079 \"Failed to generate raster diagram\")"
    url: "https://github.com/MicrosoftDocs/OfficeDocs-Support/blob/36878e0e10/SharePoint/SharePointServer/lists-and-libraries/visio-graphics-service-application-pool-not-recycled.md"

"""##

private let FS1098 = ##"""
schema: fastctl.rule/1
id: FS1098
slug: infopath-cross-domain
revision: 2
status: stable
title: A form of InfoPath may not call another domain
category: forms
tags: [sharepoint, infopath, alternate access mapping, data connection]

select:
  crossed:
    event_id: eq8l
    capture: "could not be submitted to {connection} because"

check:
  crossed:
    count: {of: crossed, gte: 1}
    label: "{count} time(s) a form was refused a connection to another domain"

verdicts:
  - id: cross-domain
    when: crossed
    symptoms: [crossed]
    severity: error
    confidence: likely
    message: "A form of InfoPath cannot be submitted ({connection|connection not named}), because InfoPath Forms Services takes its address for one of another domain. Mostly the address in its data connection is another host than the one under which the form was opened."

explain:
  what: A form in the browser called an address that InfoPath Forms Services takes for another domain (eq8l).
  why: The form has an address with another host name in its data connection, often the fully qualified name of the same server, which is not among the alternate access mappings. Connections to another domain need a data connection file in a library, and the farm must allow them for user forms.
  impact: Users cannot submit the form, or its data do not load.

fix:
  - step: "Compare the address in the form's data connection with the alternate access mappings of the site: Get-SPAlternateURL."
    where: InfoPath Designer, SharePoint Management Shell
    effect: none
    undo: none needed
  - step: If both mean the same site, add the other address as an internal URL to the alternate access mappings, or correct the connection.
    where: Central Administration, or InfoPath Designer
    effect: requests under that address are answered, with links to the public address of the zone
    undo: remove the mapping
  - step: If it is another system, convert the connection to a UDC file in a data connection library, and allow cross-domain access for user forms (Configure InfoPath Forms Services).
    where: the site, Central Administration
    effect: user forms may send data to other domains
    undo: take the permission back
verify: "Submit the form, then run: fastctl diagnose --rule FS1098 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "Alexey Dzimchuk, InfoPath, SharePoint and cross-domain issues, 2010-10-26 (row eq8l, \"would violate cross-domain security restrictions\")"
    url: "https://github.com/dzimchuk/dzimchuk.net"
  - title: "Microsoft, Configuring Alternate Access Mappings in SharePoint 2010"
    url: "https://support.microsoft.com/en-us/help/2624320/configuring-alternate-access-mappings-in-sharepoint-2010"

"""##

private let FS1100 = ##"""
schema: fastctl.rule/1
id: FS1100
slug: event-receiver-fails
revision: 1
status: stable
title: An event receiver cannot be loaded, or ends with an exception
category: custom code
tags: [sharepoint, event receiver, custom code, solution, "6875"]

select:
  receiver: # FS1108 tells of a missing assembly
    event_id: "6875"
    message|contains|none: "Could not load file or assembly '"
    capture: ["event receiver {receiver} in {assembly}, Version=", "event receiver {receiver} in"]

check:
  receiver:
    count: {of: receiver, gte: 1}
    label: "{count} time(s) an event receiver was not run to its end"

verdicts:
  - id: fails
    when: receiver
    symptoms: [receiver]
    severity: warning
    confidence: likely
    message: "Event receiver {receiver|(see the evidence)} of assembly {assembly|(see the evidence)} could not be loaded, or ended with an exception; the end of the row says which."

explain:
  what: SharePoint called an event receiver of a list, library or site, and got an exception (6875). What failed stands at the end of the row, behind the name of the receiver.
  why: The receiver's code does not bear what it meets, such as a column, a list or a service that is not there; or its class is not in the assembly that the list names. Of an assembly that is missing, FS1108 tells.
  impact: What the receiver should do is not done. One that is called before a change may keep the change from being made; others only leave work undone, with every item.

fix:
  - step: Read the end of the row; if it names something of the site, such as a column or a list, see whether it is there. Activating the feature of the solution again may bring it back.
    where: the site that the row names
    effect: what the feature creates is created again, and may replace what was changed since
    undo: deactivate the feature
  - step: Otherwise give the row to whoever maintains {assembly|the assembly}, and retract the receiver from lists that do not need it.
    where: the custom code, and the lists
    effect: without the receiver, what it should do is not done, and no longer fails
    undo: add the receiver to the list again
verify: "Change an item of the list, then run: fastctl diagnose --rule FS1100 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "Microsoft, Event receiver failed to load or run (event 6875, Error loading and running event receiver)"
    url: "https://learn.microsoft.com/en-us/previous-versions/office/sharepoint-server-2010/cc560963(v=office.14)"
  - title: "SharePoint FBA Pack, issue 29 (6875 with a column that does not exist; the feature is activated again)"
    url: "https://github.com/Visigo/SharePointFBAPack/issues/29"

"""##

private let FS1101 = ##"""
schema: fastctl.rule/1
id: FS1101
slug: records-center-file-plan
revision: 3
status: stable
title: A report page of records management fails
category: records-management
tags: [sharepoint, records-center]
supersedes: [FS1002]

select:
  report_failed: # thrown in OnLoad itself: the frame follows the sentence of the exception
    - event_id: [8nca, ajlz0]
      message|re: '\.\s+\S+\s+Microsoft\.Office\.RecordsManagement\.Reporting\.ApplicationPages\.CustomizeReport\.OnLoad\('
    - level|gte: Monitorable
      message|re: '\.\s+\S+\s+Microsoft\.Office\.RecordsManagement\.Reporting\.ApplicationPages\.CustomizeReport\.OnLoad\('
  list_empty:
    event_id: [xmnv, b4ly]
    message|re: '/customizereport\.aspx\?([^ )]*&)?List=[&)]'
    capture: "Request ({page}?"

check:
  failed:
    count: {of: report_failed, distinct: request, gte: 1}
    label: "{count} request(s) for the report failed"
  list_empty:
    count: {of: list_empty, gte: 1}
    label: "the address names no list: {page}?...&List="

verdicts:
  - id: no-library
    when: {all: [failed, list_empty]}
    symptoms: [failed, list_empty]
    severity: error
    confidence: likely
    message: "The page customizereport.aspx fails, and its address names no list. Mostly it is the file plan report of a site that has no record library named Records ({page})."
  - id: report-failed
    when: failed
    symptoms: [failed]
    severity: warning
    confidence: likely
    message: "The page customizereport.aspx failed {failed.count} time(s); the log does not show whether its address named a list. A missing record library named Records is a known cause."

explain:
  what: >-
    The page customizereport.aspx failed in CustomizeReport.OnLoad. Mostly "Generate a file plan report" in a Records
    Center called it without a list.
  why: >-
    That link looks for a library with the internal name Records in this site. If there is none, the parameter List of
    the address stays empty, and the page does not handle that. The row of the exception does not say so; the address of
    the request does.
  impact: If the library is missing, nobody gets the file plan report of this site until it has one.

fix:
  - step: Look at the address of the report in the browser; if List= at its end has no value, the library is missing.
    where: the Records Center site
    effect: none
    undo: none needed
  - step: Create a record library named "Records"; its display name may change afterwards, because only its address counts.
    where: the Records Center site
    effect: users with rights see one more library
    undo: delete the library
verify: Choose "Generate a file plan report" again; the address must end with the ID of the library.

references:
  - title: >-
      Records Center "Generate a File Plan Report" link produces an error: "simply create a new Record Library name
      Records"
    url: https://github.com/TheSharePointFarm/thesharepointfarm.github.io/blob/HEAD/_posts/2013-05-21-records-center-generate-a-file-plan-report-link-produces-an-error.md

"""##

private let FS1105 = ##"""
schema: fastctl.rule/1
id: FS1105
slug: toolshell-attack
revision: 1
status: stable
title: Requests have the form of the ToolShell attack, or ask for what it leaves behind
category: security
tags: [sharepoint, cve-2025-53770, cve-2025-49706, toolshell, machine key, web shell]

select:
  tool_pane: # the name of the request; who refers to it is only in the log of IIS
    event_id: xmnv
    message|contains|all: ["(POST:", "/ToolPane.aspx?DisplayMode=Edit", "a=/ToolPane.aspx"]
    capture: "Name=Request ({request})"
  deserialized: # an exception in the code that the attack abuses
    event_id: [8nca, tkau, ajlz0]
    message|contains: ["System.Runtime.Serialization.", "Microsoft.PerformancePoint.Scorecards.ExcelDataSet", "System.Web.UI.ObjectStateFormatter.Deserialize("]
  shell: # the name under which the attackers of July 2025 left a page
    event_id: xmnv
    message|contains: "/spinstall0.aspx"
    capture: "Name=Request ({shell})"

check:
  tool_pane:
    count: {of: tool_pane, distinct: request, gte: 1}
    label: "{count} request(s) in the form of the attack"
  reached:
    sequence: {by: request, steps: [tool_pane, deserialized]}
    label: "{count} of them ended in an exception while data was deserialized"
  shell:
    count: {of: shell, distinct: request, gte: 1}
    label: "{count} request(s) for a page that the attack leaves behind"

verdicts:
  - id: shell-requested
    when: shell
    symptoms: [shell, tool_pane, reached]
    severity: critical
    confidence: likely
    message: "Somebody asked for a page that the ToolShell attack leaves behind: {shell|see the evidence}. Whether it is there is not in the log: look for it now."
  - id: reached
    when: reached
    symptoms: [tool_pane, reached]
    severity: critical
    confidence: likely
    message: "A request in the form of the ToolShell attack (CVE-2025-53770) reached code that deserializes data: {request|see the evidence}."
  - id: tried
    when: tool_pane
    symptoms: [tool_pane]
    severity: critical
    confidence: possible
    message: "Somebody sent a request in the form of the ToolShell attack (CVE-2025-53770): {request|see the evidence}. Whether it succeeded is not in the log."

explain:
  what: A POST request for ToolPane.aspx with the parameters of the ToolShell attack of July 2025 was seen, or a request for a page that the attackers leave behind.
  why: An attacker, a scanner, or your own security team sent it. On a server without the updates of July 2025 the request runs code as the application pool and steals the machine key, with which attackers come back even after the update. ULS names the request only; the log of IIS has the sender and the Referer /_layouts/SignOut.aspx, which the attack needs. A person who edits web parts sends requests to ToolPane.aspx as well, but not in this form.
  impact: If it succeeded, the farm and all its data are in somebody else's hands.

fix:
  - step: "Look for the page and for other new files: Get-ChildItem 'C:\\Program Files\\Common Files\\Microsoft Shared\\Web Server Extensions\\1*\\TEMPLATE\\LAYOUTS' -Recurse -Include *.aspx | Sort CreationTime -Descending | Select -First 20 FullName, CreationTime."
    where: each web server
    effect: none
    undo: none needed
  - step: "Find the requests in the log of IIS: POST /_layouts/15/ToolPane.aspx or /_layouts/16/ToolPane.aspx with Referer /_layouts/SignOut.aspx, the senders' addresses, and their answers."
    where: the logs of IIS on each web server
    effect: none
    undo: none needed
  - step: "If anything is found, cut the server from the network and call your incident response before you change anything."
    where: the server, and whoever answers for security
    effect: users cannot work with the farm
    undo: connect it again after the investigation
  - step: Install the security updates of July 2025 or later, turn on AMSI in full mode, then rotate the machine keys of each web application (Set-SPMachineKey -WebApplication URL, then Update-SPMachineKey -WebApplication URL) and run iisreset on all servers.
    where: all servers of the farm
    effect: the farm is offline while the configuration wizard runs; forms that are open are lost
    undo: none; SharePoint updates cannot be removed
verify: "After the updates, run: fastctl diagnose --rule FS1105 --since TIME LOGS; new requests of scanners will be found again, so compare them with the log of IIS."

references:
  - title: "Safeguard, SharePoint ToolShell CVE-2025-53770 patch response (the request, the updates, rotation of machine keys)"
    url: "https://safeguard.sh/resources/blog/sharepoint-toolshell-cve-2025-53770-patch-response"
  - title: "trackr.live, ToolShell six months on: SharePoint on-prem detection (POST to /_layouts/15/ToolPane.aspx with Referer /_layouts/SignOut.aspx; spinstall0.aspx)"
    url: "https://www.trackr.live/?p=738"
  - title: "Splunk Research, Windows SharePoint Spinstall0 Webshell File Creation"
    url: "https://beta.splunkresearch.com/endpoint/7a0dda67-4cc7-4113-b3bd-b3f1489a98bf"

"""##

private let FS1106 = ##"""
schema: fastctl.rule/1
id: FS1106
slug: configuration-database-unreachable
revision: 1
status: stable
title: A process cannot load the farm from its configuration database
category: farm
tags: [sharepoint, configuration database, sql server, farm]
supersedes: [FS1046]

select:
  no_farm: # the farm itself could not be loaded, so nothing on this server works
    event_id: 88bl
    message|contains: "SqlException"
  not_found:
    event_id: 88bl
    message|contains|all: ["SqlException", "network-related or instance-specific error"]
  not_opened:
    event_id: 88bl
    message|contains|all: ["SqlException", 'Cannot open database "']
    capture: 'Cannot open database "{database}" requested'
  timed_out:
    event_id: 88bl
    message|contains|all: ["SqlException", "timeout"]

check:
  no_farm:
    count: {of: no_farm, gte: 1}
    label: "{count} time(s) the farm could not be loaded because SQL Server gave an error"
  not_found:
    count: {of: not_found, gte: 1}
    label: "{count} time(s) SQL Server was not found"
  not_opened:
    count: {of: not_opened, gte: 1}
    label: "{count} time(s) the configuration database could not be opened"
  timed_out:
    count: {of: timed_out, gte: 1}
    label: "{count} time(s) SQL Server did not answer in time"
  often:
    count: {of: no_farm, gte: 3, within: 1h}

verdicts:
  - id: server-not-found
    when: {all: [often, not_found]}
    symptoms: [no_farm, not_found, not_opened, timed_out]
    severity: error
    confidence: likely
    message: "A process cannot load the farm: it gets no connection to the SQL Server of the configuration database. Mostly the server is not found, does not run, or a port is closed."
  - id: database-not-opened
    when: {all: [often, not_opened]}
    symptoms: [no_farm, not_opened, timed_out]
    severity: error
    confidence: likely
    message: "A process cannot load the farm: the configuration database {database|(not logged)} cannot be opened. Mostly it is offline or gone, or the account of the process has no user in it."
  - id: database-slow
    when: {all: [often, timed_out]}
    symptoms: [no_farm, timed_out]
    severity: error
    confidence: likely
    message: "A process cannot load the farm: a call of its configuration database timed out."
  - id: database-error
    when: often
    symptoms: [no_farm]
    severity: error
    confidence: likely
    message: "A process cannot load the farm because of an error of SQL Server or on the way there; the first row of the evidence names it."
  - id: for-a-moment
    when: no_farm
    symptoms: [no_farm, not_found, not_opened, timed_out]
    severity: warning
    confidence: likely
    message: "A process could not load the farm because of an error of SQL Server or on the way there. A few such rows are usual when servers start before SQL Server."

explain:
  what: A SharePoint process tried to load the farm from the configuration database (row 88bl), and SQL Server gave an error.
  why: Every process of SharePoint reads the farm first. If SQL Server is stopped, is not found under its name, or refuses the account of the process, the process has no farm. A single row is usual when servers start before SQL Server; three within an hour are told as an error, though processes that start together may write as many. Commands of PowerShell then say that the local farm cannot be accessed. The forms of the error are recognized in English; another language gives the general verdict.
  impact: Pages, timer jobs or the crawler on this server do not work while it lasts, depending on the process that wrote the row.

fix:
  - step: "Read the name of the server and the database: Get-ItemProperty 'HKLM:\\SOFTWARE\\Microsoft\\Shared Tools\\Web Server Extensions\\16.0\\Secure\\ConfigDB' (15.0 for SharePoint 2013), and the aliases with cliconfg.exe."
    where: the server that wrote the row
    effect: none
    undo: none needed
  - step: "Test the way there: Test-NetConnection SERVER -Port 1433; then start SQL Server, or correct the alias, the name server or the firewall."
    where: the server that wrote the row, then SQL Server
    effect: what else uses the instance, the name or the port is affected as well
    undo: restore the former value
    when: [server-not-found, database-slow, for-a-moment]
  - step: "Ask SQL Server for the state: SELECT name, state_desc, user_access_desc FROM sys.databases; bring {database|the configuration database} online, or give the account of the process its login and user back."
    where: SQL Server
    effect: the account may use the database again
    undo: remove the user
    when: [database-not-opened, database-error]
  - step: "See what blocks the database: SELECT * FROM sys.dm_exec_requests WHERE blocking_session_id <> 0."
    where: SQL Server
    effect: none
    undo: none needed
    when: database-slow
verify: "Run Get-SPFarm on the server, then: fastctl diagnose --rule FS1106 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "Microsoft, After installing .NET security patches ... SharePoint crawler may fail (row 88bl, \"An exception occurred while trying to acquire the local farm\")"
    url: "https://github.com/MicrosoftDocs/OfficeDocs-SharePoint/blob/7c40f91e5e/SharePoint/SharePointServer/administration/after-installing-.NET-security-patches-to-address-CVE-2018-8421-SharePoint-crawler-may-fail.md"
  - title: "Sam Betts, SharePoint + SQL Server AlwaysOn: Outage Troubleshooting (the configuration database is not accessible, no page works)"
    url: "https://docs.microsoft.com/en-us/archive/blogs/sambetts/sharepoint-sql-server-alwayson-outage-troubleshooting"
  - title: "Salaudeen Rajack, Cannot connect to the configuration database (causes)"
    url: "https://salaudeen1.rssing.com/chan-8561500/article138.html"

"""##

private let FS1107 = ##"""
schema: fastctl.rule/1
id: FS1107
slug: service-not-activated-for-want-of-memory
revision: 2
status: stable
title: Services do not start because the server has too little free memory
category: services
tags: [sharepoint, office online, service application, wcf, memory]
supersedes: [FS1002, FS1026]

select:
  closed: # the name of the setting stands in the message in any language
    - level|gte: High
      message|contains: "minFreeMemoryPercentageToActivateService"
      capture: ["The service '{service}' cannot be activated", "free memory ({free} bytes) is less than {percent}%"]
    - event_id: 8nca
      message|contains: "minFreeMemoryPercentageToActivateService"
      capture: ["The service '{service}' cannot be activated", "free memory ({free} bytes) is less than {percent}%"]

check:
  closed:
    count: {of: closed, gte: 1}
    label: "{count} time(s) a service was not started for want of memory"
  often:
    count: {of: closed, gte: 3, within: 10m}

verdicts:
  - id: memory-gate
    when: often
    symptoms: [closed]
    severity: error
    confidence: likely
    message: "Services such as {service|(not named)} do not start: only {free|(not logged)} bytes of memory are free, less than {percent|(not logged)}% of the server's."
  - id: memory-gate-once
    when: closed
    symptoms: [closed]
    severity: warning
    confidence: likely
    message: "Service {service|(not named)} did not start: only {free|(not logged)} bytes of memory were free, less than {percent|(not logged)}% of the server's."

explain:
  what: Before .NET starts a web service, it looks whether enough memory is free, by default 5 % of the server's memory, and refuses otherwise.
  why: The server has too little memory for what runs on it. On a server of SharePoint search, the Distributed Cache and many application pools are the usual reasons; a server of Office Online (services such as /pptc/Viewing.svc) often has less memory than its requirements ask for. A service that runs already goes on; what must start, for instance after an application pool was recycled, fails.
  impact: What needs the service fails, for instance signing in (SecurityTokenService), search, profiles or documents in the browser, until memory is free.

fix:
  - step: "See who takes the memory: Get-Process | Sort WorkingSet64 -Descending | Select -First 15 Name, Id, WorkingSet64. How much there is, in KB: Get-CimInstance Win32_OperatingSystem | Select TotalVisibleMemorySize, FreePhysicalMemory."
    where: the server that wrote the row
    effect: none
    undo: none needed
  - step: Give the server the memory that its requirements ask for, or move what takes most of it (on a server of SharePoint mostly search and the Distributed Cache) to another server; recycling the largest application pool helps for some hours.
    where: the server that wrote the row
    effect: requests of a recycled pool wait while it starts
    undo: move the services back
  - step: Do not set minFreeMemoryPercentageToActivateService to 0; the service would start and fail later with OutOfMemoryException.
    where: web.config of the service
    effect: none
    undo: none needed
verify: "Free memory, open a page, then run: fastctl diagnose --rule FS1107 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "Microsoft, Mitigation: minFreeMemoryPercentageToActiveService configuration setting (\"Memory gates checking failed because the free memory (nnnn bytes) is less than nn% of total memory\")"
    url: "https://learn.microsoft.com/en-us/dotnet/framework/migration-guide/mitigation-minfreememorypercentagetoactiveservice-configuration-setting"
  - title: "Microsoft, ServiceHostingEnvironmentSection.MinFreeMemoryPercentageToActivateService (default 5)"
    url: "https://learn.microsoft.com/en-us/dotnet/api/system.servicemodel.configuration.servicehostingenvironmentsection.minfreememorypercentagetoactivateservice"

"""##

private let FS1108 = ##"""
schema: fastctl.rule/1
id: FS1108
slug: assembly-missing-or-other-version
revision: 4
status: stable
title: A process cannot load an assembly
category: updates
tags: [sharepoint, assembly, solution, web part, event receiver, feature, claim provider]
per: assembly
supersedes: [FS1002]

select:
  # .NET looks for assemblies with texts (NAME.resources) and with serializers (NAME.XmlSerializers), and does without.
  page:
    event_id: [8nca, tkau, ajlz0, "6616"]
    message|contains: "Could not load file or assembly '"
    message|contains|none: [".resources, Version=", ".XmlSerializers, Version=", "0x80131040"]
    capture: ["file or assembly '{assembly}, Version={version},", "file or assembly '{assembly}'"]
  receiver: # 6875 of lists and sites, acq1a of features
    event_id: ["6875", acq1a]
    message|contains: "Could not load file or assembly '"
    message|contains|none: [".resources, Version=", ".XmlSerializers, Version=", "0x80131040"]
    capture: ["file or assembly '{assembly}, Version={version},", "file or assembly '{assembly}'", "event receiver {receiver} in", "', class '{receiver}'"]
  token: # the token service loads the claim providers of the farm
    level|gte: High
    message|contains|all: ["issue new security token", "Could not load file or assembly '"]
    message|contains: ["FileNotFoundException", "The system cannot find the file specified"]
    message|contains|none: [".resources, Version=", ".XmlSerializers, Version=", "0x80131040"]
    capture: ["file or assembly '{assembly}, Version={version},", "file or assembly '{assembly}'"]
  other_version: # the assembly is there, but its name says another version
    level|gte: High
    message|contains|all: ["0x80131040", "file or assembly '"]
    capture: ["file or assembly '{assembly}, Version={version},", "file or assembly '{assembly}'"]
  elsewhere:
    level|gte: High
    message|contains|all: ["Could not load file or assembly '"]
    message|contains: ["FileNotFoundException", "The system cannot find the file specified"]
    message|contains|none: [".resources, Version=", ".XmlSerializers, Version=", "0x80131040", "issue new security token", "Microsoft.Office.Web.Common.WatchdogHelper"]
    capture: ["file or assembly '{assembly}, Version={version},", "file or assembly '{assembly}'"]
  watchdog: # a program of Office Online Server
    level|gte: High
    message|contains|all: ["Could not load file or assembly '", "Microsoft.Office.Web.Common.WatchdogHelper"]
    message|contains: ["FileNotFoundException", "The system cannot find the file specified"]
    message|contains|none: [".resources, Version=", ".XmlSerializers, Version=", "0x80131040"]
    capture: ["file or assembly '{assembly}, Version={version},", "file or assembly '{assembly}'"]

check:
  token:
    count: {of: token, gte: 1}
    label: "{count} time(s) the Security Token Service issued no token for want of it"
  page:
    count: {of: page, distinct: request, gte: 1}
    label: "{count} request(s) ended with an error page"
  receiver:
    count: {of: receiver, gte: 1}
    label: "{count} time(s) an event receiver was not run"
  other_version:
    count: {of: other_version, gte: 1}
    label: "{count} time(s) an assembly of another version was found (0x80131040)"
  elsewhere:
    count: {of: elsewhere, gte: 1}
    label: "{count} time(s) an exception of .NET said that it was not found"
  watchdog:
    count: {of: watchdog, gte: 1}
    label: "{count} time(s) a watchdog of Office Online Server did not find it"

verdicts:
  - id: other-version
    when: other_version
    symptoms: [token, page, receiver, other_version, watchdog, elsewhere]
    severity: warning
    confidence: likely
    message: "A process found assembly {assembly}, but not as the caller wants it (version {version|not logged}). Mostly the file is of another version, or a bindingRedirect is missing."
  - id: token
    when: token
    symptoms: [token, page, receiver, watchdog, elsewhere]
    severity: error
    confidence: likely
    message: "The Security Token Service issues no token because it cannot load assembly {assembly} (version {version|not logged}), or one that it needs. Mostly it is of a claim provider that is still registered in the farm, and its solution was retracted or is not on this server."
  - id: page
    when: page
    symptoms: [page, receiver, watchdog, elsewhere]
    severity: error
    confidence: likely
    message: "Requests fail because a process cannot load assembly {assembly} (version {version|not logged}), or one that it needs. Mostly it is not deployed to this server, is there in another version, or the process was not restarted since."
  - id: receiver
    when: receiver
    symptoms: [receiver, watchdog, elsewhere]
    severity: warning
    confidence: likely
    message: "Event receiver {receiver|(not named)} is not run because a process cannot load assembly {assembly} (version {version|not logged}), or one that it needs. Mostly it is not deployed to this server, is there in another version, or the process was not restarted since."
  - id: watchdog
    when: watchdog
    symptoms: [watchdog, elsewhere]
    severity: warning
    confidence: likely
    message: "A watchdog of Office Online Server did not find assembly {assembly} (version {version|not logged}), or one that it needs. Mostly the server has another version of it, and the configuration file of the program has no bindingRedirect to that."
  - id: elsewhere
    when: elsewhere
    symptoms: [elsewhere]
    severity: warning
    confidence: likely
    message: "A process did not find assembly {assembly} (version {version|not logged}), or one that it needs. Mostly it is not deployed to this server, is there in another version, or the process was not restarted since."

explain:
  what: Code needed an assembly, and .NET could not load it.
  why: In a program of Office Online Server, mostly an update brought another version of the assembly, and the configuration file of the program has no bindingRedirect to it; .NET says then that the file is not found. Elsewhere, mostly the solution that brings the assembly was not deployed to this server, was retracted or upgraded while something still names the old version, or an assembly that it needs is missing. The Security Token Service loads each claim provider that is registered in the farm; the registration stays if a solution is retracted without deactivating its feature. An assembly of a prerequisite of SharePoint, such as Microsoft.Data.OData 5.6 of WCF Data Services, may be missing where the prerequisite was not installed whole. With 0x80131040 an assembly of that name is there but has another version; mostly a bindingRedirect in the program's configuration file is missing. If only one server of several reports it, mostly its deployment is incomplete. The text is recognized in English only; names of resource and serializer assemblies do not count.
  impact: What needs the assembly does not work on this server. If that is a claim provider, users may get no tokens, which breaks their sign-in, and the people picker may find nobody. If it is a watchdog of Office Online Server, the server may be reported as unhealthy although it works.

fix:
  - step: "See which claim providers the farm has, and whether this assembly, or what needs it, is of one of them: Get-SPClaimProvider | Select DisplayName, IsEnabled, AssemblyName."
    where: SharePoint Management Shell
    effect: none
    undo: none needed
    when: token
  - step: "See whether the assembly is on the server: dir C:\\Windows\\Microsoft.NET\\assembly\\*\\{assembly|NAME} (C:\\Windows\\assembly for .NET before 4) and the bin folder of the web application; compare with a server on which it works. If another version is there, look for a bindingRedirect to the missing one in the configuration of the program, and in machine.config (the claim provider EntraCP needs those of its installation page there)."
    where: the server that wrote the row, and another one
    effect: none
    undo: none needed
    when: [other-version, token, page, receiver, elsewhere]
  - step: "See which version of {assembly} lies in the folder of the program that wrote the row (such as RtcWatchdog.exe), and whether the configuration file beside it (such as RtcWatchdog.exe.config) has a bindingRedirect from version {version|*} to that one."
    where: the server of Office Online Server that wrote the row
    effect: none
    undo: none needed
    when: watchdog
  - step: "If there is none, keep a copy of the configuration file, add the bindingRedirect, and restart the service: Restart-Service WACSM."
    where: each server of the Office Online Server farm that writes the row
    effect: documents cannot be opened through this server while the service restarts; open sessions may end
    undo: put the copy back, and restart the service
    when: watchdog
  - step: "Find out what brings it. Microsoft.Data.Edm, Microsoft.Data.OData, Microsoft.Data.Services and System.Spatial 5.6 come with the prerequisite WCF Data Services: see whether it is installed, and compare with another server: Get-ItemProperty HKLM:\\SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Uninstall\\* | Select DisplayName, DisplayVersion. Most others come with a solution: Get-SPSolution | Select Name, Deployed, LastOperationResult, DeployedServers."
    where: the server that wrote the row; SharePoint Management Shell
    effect: none
    undo: none needed
    when: [token, page, receiver, elsewhere]
  - step: "If the claim provider is wanted, deploy its solution to all servers (Install-SPSolution NAME -GACDeployment -Force). If it is not, or that does not help, remove its registration: Remove-SPClaimProvider NAME."
    where: SharePoint Management Shell, as farm administrator
    effect: a deployment recycles application pools on all servers; without the provider, users lose its claims and what they may do by them
    undo: activate the feature of the provider again, which registers it
    when: token
  - step: "If it is of WCF Data Services, repair or install that prerequisite (WcfDataServices.exe, Repair), and restart the server; the prerequisite installer may say that all is well although files are missing."
    where: the server that wrote the row
    effect: the server is down while it restarts
    undo: none needed
    when: [page, receiver, elsewhere]
  - step: If a solution brings it, deploy that again (Install-SPSolution NAME -GACDeployment -Force, with -WebApplication URL if it belongs to one), or remove the web part, receiver or feature that names the assembly.
    where: SharePoint Management Shell
    effect: application pools are recycled on all servers; files of the solution are replaced
    undo: none needed if it was deployed before; otherwise Uninstall-SPSolution NAME, which takes it from all servers
    when: [page, receiver, elsewhere]
  - step: "Add a bindingRedirect from version {version|*} to the version that is there, or install the wanted version."
    where: web.config of each web application, or the configuration file beside the program that the row names
    effect: saving a web.config recycles the application domain
    undo: remove the entry
    when: other-version
verify: "Repeat what failed, then run: fastctl diagnose --rule FS1108 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "Microsoft, Event ID 6875 (\"Error loading and running event receiver %1 in %2\": the assembly cannot be found or is damaged)"
    url: "https://learn.microsoft.com/de-de/previous-versions/office/sharepoint-2007-products-and-technologies/cc560963(v=office.12)"
  - title: "SharePointFBAPack #134, Missing Assembly (row acq1a, \"Could not load file or assembly ... Version=1.0.0.0\")"
    url: "https://github.com/Visigo/SharePointFBAPack/issues/134"
  - title: "The SharePoint Farm, Office Online Server November 2017 errors (\"Could not load file or assembly 'Newtonsoft.Json, Version=4.5.0.0\", a binding redirect)"
    url: "https://github.com/TheSharePointFarm/thesharepointfarm.github.io/blob/2b88bfe8d8/_posts/2017-11-21-office-online-server-november-2017-errors.md"
  - title: "hasangok, SharePoint 2016 SPUpgradeException, One or more types failed to load (Microsoft.Data.OData 5.6.0.0, repair of WCF Data Services)"
    url: "https://github.com/hasangok/hasangok.github.io"

"""##

private let FS1110 = ##"""
schema: fastctl.rule/1
id: FS1110
slug: search-service-not-reachable
revision: 1
status: stable
title: A call of a part of search fails, or search does not start
category: search
tags: [sharepoint, search, query, host controller, net.tcp, wcf]
supersedes: [FS1002]

select:
  listener: # the port-sharing service does not let the account of the host controller in
    event_id: ad5eq
    message|contains|all: ["/ceres/hostcontroller", "SMSvcHost.exe.config"]
  # The addresses of search; the type of the exception is never translated.
  query:
    level|gte: High
    message|contains|all: ["EndpointNotFoundException", "QueryProcessingComponent"]
    capture: "net.tcp://{host}/"
  service:
    - level|gte: High
      message|contains: "EndpointNotFoundException"
      message|contains|any: ["/SearchService.svc", "/SearchAdmin.svc"]
      capture: ["http://{host}/", "https://{host}/"]
    - event_id: 8nca
      message|contains: ["/SearchService.svc", "/SearchAdmin.svc"]
      capture: ["http://{host}/", "https://{host}/"]

check:
  listener:
    count: {of: listener, gte: 1}
    label: "{count} time(s) the Search Host Controller could not listen"
  query:
    count: {of: query, gte: 1}
    label: "{count} time(s) a query processing component was not reached"
  query_often:
    count: {of: query, gte: 3, within: 10m}
  service:
    count: {of: service, gte: 1}
    label: "{count} time(s) a call of the web service of search failed"
  service_often:
    count: {of: service, gte: 3, within: 10m}

verdicts:
  - id: host-controller-refused
    when: listener
    symptoms: [listener, query, service]
    severity: error
    confidence: likely
    message: "The Search Host Controller cannot listen at its address, so that it starts no part of search on this server. Mostly its account may not use the net.tcp port sharing service."
  - id: query-component-not-reached
    when: query_often
    symptoms: [query, service]
    severity: error
    confidence: likely
    message: "Calls find no endpoint of the query processing component at {host|(not logged)}, again and again. Mostly it is stopped, or its port is closed."
  - id: service-not-reached
    when: service_often
    symptoms: [query, service]
    severity: error
    confidence: likely
    message: "Calls of the web service of search at {host|(not logged)} fail, again and again. Mostly its application pool is stopped, its server is down, or the port is closed."
  - id: now-and-then
    when: {any: [query, service]}
    symptoms: [query, service]
    severity: warning
    confidence: likely
    message: "A call of a part of search at {host|(not logged)} failed; a few such rows are usual while it restarts."

explain:
  what: A web server asked search, or search asked one of its own parts, and the call failed, mostly because nobody answered at that address.
  why: The component or the application pool is stopped or restarts, the server is down, or a firewall closes its port (32843 and 32844 for web services, 808 for net.tcp; on Windows Server 2019 the rule for port 808 may name another program). The Search Host Controller starts all components of a server; if Windows does not let its account share net.tcp ports, none of them runs. That happens when the account was changed. The row says who was called, not why nobody answers.
  impact: Searches, and pages with search web parts, show an error or no results; if only administration is affected, the topology cannot be shown or changed.

fix:
  - step: "See what runs: Get-SPEnterpriseSearchServiceInstance | Select Server, Status; Get-SPEnterpriseSearchStatus -SearchApplication NAME -Text."
    where: SharePoint Management Shell
    effect: none
    undo: none needed
  - step: "Test the way: Test-NetConnection SERVER -Port 808, and 32843 or 32844."
    where: the server that wrote the row
    effect: none
    undo: none needed
    when: [query-component-not-reached, service-not-reached, now-and-then]
  - step: "Start the service SPSearchHostController, or the application pool of search; open the port between the servers of the farm."
    where: the server that was called
    effect: components need some minutes until they answer
    undo: stop the service; close the port
    when: [query-component-not-reached, service-not-reached]
  - step: "Add the SID of the host controller's account to allowAccounts of net.tcp in SMSvcHost.exe.config, and restart the Net.Tcp Port Sharing Service and SPSearchHostController."
    where: "the server that wrote the row, C:\\Windows\\Microsoft.NET\\Framework64\\v4.0.30319"
    effect: services that share ports are restarted
    undo: remove the entry
    when: host-controller-refused
verify: "Search for a word, then run: fastctl diagnose --rule FS1110 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "SharePointDsc #1345 (row ad5eq, \"failed to listen on the URI 'net.tcp://localhost/ceres/hostcontroller/' because access was denied\", SMSvcHost.exe.config)"
    url: "https://github.com/dsccommunity/SharePointDsc/issues/1345"
  - title: "Brian Pendergrass (Microsoft), Search Query Load Balancing Explained, part 2 (who calls whom; \"Internal server error exception\" is ambiguous)"
    url: "https://docs.microsoft.com/en-us/archive/blogs/sharepoint_strategery/sp2010-search-query-load-balancing-explained-part-2"
  - title: "Microsoft, OfficeDocs-Support, search-errors-windows-server-2019 (port 808)"
    url: "https://github.com/MicrosoftDocs/OfficeDocs-Support/blob/36878e0e10/SharePoint/SharePointServer/search/search-errors-windows-server-2019.md"
  - title: "PnP-PowerShell #843 (\"There was no endpoint listening at http://.../SearchService.svc that could accept this message\")"
    url: "https://github.com/pnp/PnP-PowerShell/issues/843"

"""##

private let FS1111 = ##"""
schema: fastctl.rule/1
id: FS1111
slug: outgoing-connection-fails
revision: 2
status: stable
title: Outgoing web calls fail
category: network
tags: [sharepoint, tls, proxy, dns, firewall, outgoing]
supersedes: [FS1002]

select:
  # Each row is of one kind; the type of the exception is never translated, the reason is recognized in English.
  handshake:
    level|gte: High
    message|contains: "System.Net.WebException"
    message|contains|any: ["Could not create SSL/TLS secure channel", "An unexpected error occurred on a send", "do not possess a common algorithm"]
  untrusted:
    level|gte: High
    message|contains: "System.Net.WebException"
    message|contains|any: "Could not establish trust relationship for the SSL/TLS secure channel"
  name:
    level|gte: High
    message|contains: "System.Net.WebException"
    message|contains|any: "The remote name could not be resolved"
    capture: "could not be resolved: '{host}'"
  proxy:
    level|gte: High
    message|contains: "System.Net.WebException"
    message|contains|any: "(407)"
  closed:
    level|gte: High
    message|contains: "System.Net.WebException"
    message|contains|any: "Unable to connect to the remote server"
    capture: ["no connection could be made because the target machine actively refused it {address}:", "did not properly respond after a period of time, or established connection failed because connected host has failed to respond {address}:"]

check:
  handshake:
    count: {of: handshake, gte: 1}
    label: "{count} time(s) a secure connection failed"
  untrusted:
    count: {of: untrusted, gte: 1}
    label: "{count} time(s) the other side's certificate was not accepted"
  name:
    count: {of: name, gte: 1}
    label: "{count} time(s) a name was not resolved, the first {host|not logged}"
  proxy:
    count: {of: proxy, gte: 1}
    label: "{count} time(s) a proxy wanted a user (407)"
  closed:
    count: {of: closed, gte: 1}
    label: "{count} time(s) no connection was made, first to {address|an address that is not logged}"

verdicts:
  - id: proxy
    when: proxy
    symptoms: [proxy, handshake, untrusted, name, closed]
    severity: warning
    confidence: likely
    message: "A proxy answers outgoing calls with 407: it wants a user. Mostly the calls of a service come without one."
  - id: untrusted
    when: untrusted
    symptoms: [handshake, untrusted, name, closed]
    severity: warning
    confidence: likely
    message: "Outgoing calls fail because the other side's certificate is not accepted. Mostly its root is not trusted here, its name is another, as when another site answers, or it has expired."
  - id: handshake
    when: handshake
    symptoms: [handshake, name, closed]
    severity: warning
    confidence: likely
    message: "Outgoing calls fail while a secure connection (TLS) is made or used. Mostly the two sides have no version or cipher in common, the certificate that answers is another site's, a client certificate is missing or its key cannot be read, or something between cuts the connection."
  - id: name
    when: name
    symptoms: [name, closed]
    severity: warning
    confidence: likely
    message: "Outgoing calls fail because the name {host|(not logged)} could not be resolved on the server that wrote the row."
  - id: closed
    when: closed
    symptoms: [closed]
    severity: warning
    confidence: likely
    message: "Outgoing calls fail because no connection to {address|the address} was made. Mostly a firewall or a service that is stopped is the cause, or a proxy that is not set."

explain:
  what: SharePoint, or a component on it, called a web address, and the connection failed or broke.
  why: The row says at which step it failed. A name that is not found is a matter of DNS. Nobody answers where a firewall drops the call, or where it should have gone to a proxy. 407 comes from a proxy that wants a user, which services do not have. A handshake fails where one side allows only TLS 1.2 and the other does not offer it, as .NET before 4.6 without strong cryptography, or where a firewall looks into the traffic. A certificate is not trusted if its root is missing in Manage trust or in Windows, if it is for another name, or if it has expired. Who was called, and what for, is in the other rows of the request.
  impact: What needs the other address does not work, for instance claims providers, workflows, RSS web parts, hybrid search, or other farms.

fix:
  - step: "Find out who calls, and whom: fastctl logs trace CORRELATION; the first frame that is neither System nor Microsoft.SharePoint names the component."
    where: the logs
    effect: none
    undo: none needed
  - step: "Try the same from the server, as the account of the process: Resolve-DnsName HOST; Test-NetConnection HOST -Port 443; Invoke-WebRequest https://HOST."
    where: the server that wrote the row
    effect: none
    undo: none needed
  - step: "Set the proxy for the process, or an exception in it for these addresses (defaultProxy in web.config and OWSTIMER.EXE.CONFIG; netsh winhttp show proxy shows that of Windows)."
    where: the server that wrote the row, and the proxy
    effect: saving a web.config recycles the application domain
    undo: remove the entry
    when: [proxy, closed]
  - step: "Only if the other side demands TLS 1.2, and .NET on this server does not use it, let it: SchUseStrongCrypto and SystemDefaultTlsVersions = 1 below HKLM\\SOFTWARE\\Microsoft\\.NETFramework\\v4.0.30319 and its copy in WOW6432Node; then restart the server."
    where: the server that wrote the row
    effect: all programs of .NET on the server use the protocols of Windows and strong ciphers only; the restart interrupts what runs there
    undo: remove the values
    when: handshake
  - step: "Look at the certificate first: its name, its dates, its root. Only if the root is missing here, and is one to trust, import it and each certificate between: New-SPTrustedRootAuthority -Name NAME -Certificate (Get-PfxCertificate FILE), and in Windows' store if the caller is not SharePoint itself."
    where: SharePoint Management Shell
    effect: the whole farm trusts what the root signs
    undo: Remove-SPTrustedRootAuthority NAME
    when: untrusted
verify: "Repeat what failed, then run: fastctl diagnose --rule FS1111 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "Microsoft, Authentication errors occur when client doesn't have TLS 1.2 support (\"The underlying connection was closed: An unexpected error occurred on a send\")"
    url: "https://learn.microsoft.com/en-us/sharepoint/troubleshoot/administration/authentication-errors-tls12-support"
  - title: "myspworld, Event ID 8311 (\"Could not establish trust relationship for the SSL/TLS secure channel\" when signing in with claims)"
    url: "https://myspworld.wordpress.com/2011/12/31/event-id-8311-the-root-of-the-certificate-chain-is-not-a-trusted-root-authority/"
  - title: "Microsoft, WebExceptionStatus (NameResolutionFailure, ConnectFailure, SecureChannelFailure, TrustFailure)"
    url: "https://learn.microsoft.com/en-us/dotnet/api/system.net.webexceptionstatus"

"""##

private let FS1113 = ##"""
schema: fastctl.rule/1
id: FS1113
slug: disk-or-log-full
revision: 1
status: stable
title: A disk, a database file or a transaction log is full
category: database
tags: [sharepoint, sql server, transaction log, disk space]
supersedes: [FS1002]

select:
  # 9002 and 1105 are SQL Server's numbers, 0x80070070 is ERROR_DISK_FULL.
  log_full:
    - event_id: "5586"
      message|contains: "SQL Exception 9002 "
      capture: "log for database '{database}' is full"
    - level|gte: High
      message|contains|all: ["SqlException", "The transaction log for database '"]
      capture: "log for database '{database}' is full"
    - category: Database
      level|gte: High
      message|re: "Number: 9002 State: [0-9]+ Class:"
  file_full:
    - event_id: "5586"
      message|contains: "SQL Exception 1105 "
      capture: "in database '{database}' because"
    - level|gte: High
      message|contains|all: ["SqlException", "Could not allocate space for object '"]
      capture: "in database '{database}' because"
    - category: Database
      level|gte: High
      message|re: "Number: 1105 State: [0-9]+ Class:"
  disk_full:
    - level|gte: High
      message|contains: "0x80070070"
    - level|gte: High
      message|contains|all: ["System.IO.IOException", "There is not enough space on the disk"]

check:
  log_full:
    count: {of: log_full, gte: 1}
    label: "{count} row(s) say that a transaction log is full"
  file_full:
    count: {of: file_full, gte: 1}
    label: "{count} row(s) say that a database file cannot grow"
  disk_full:
    count: {of: disk_full, gte: 1}
    label: "{count} row(s) say that a disk is full"

verdicts:
  - id: transaction-log-full
    when: log_full
    symptoms: [log_full, file_full, disk_full]
    severity: error
    confidence: likely
    message: "The transaction log of database {database|(not logged)} is full (9002): changes cannot be saved there."
  - id: database-file-full
    when: file_full
    symptoms: [file_full, disk_full]
    severity: error
    confidence: likely
    message: "Database {database|(not logged)} has no space for more (1105). Mostly its disk is full, or its file has reached its limit."
  - id: disk-full
    when: disk_full
    symptoms: [disk_full]
    severity: error
    confidence: likely
    message: "There is not enough space on a disk that a process on this server uses."

explain:
  what: SharePoint wanted to save something, and SQL Server or Windows had no space for it.
  why: A transaction log grows until it is backed up (recovery model Full), until a long transaction ends, or until an availability group has caught up; log_reuse_wait_desc names what it waits for. A database file stops growing when its disk is full, at its limit, or at 10 GB in SQL Server Express. On a SharePoint server, the trace logs, the index of search, the BLOB cache and temporary files fill disks. SQL Server's numbers are recognized in any language.
  impact: Without space in a database, users can read but not save, or get errors everywhere if it is the configuration database. Without space on a server, what writes there fails.

fix:
  - step: "Ask what the log waits for: SELECT name, recovery_model_desc, log_reuse_wait_desc FROM sys.databases; DBCC SQLPERF(LOGSPACE)."
    where: SQL Server
    effect: none
    undo: none needed
    when: transaction-log-full
  - step: If it waits for LOG_BACKUP, back up the log of {database|the database}, and schedule log backups; otherwise end what it waits for, or give the log file more space. Do not delete the log file.
    where: SQL Server
    effect: the backup belongs to those that a restore needs, so keep it with them
    undo: none needed
    when: transaction-log-full
  - step: "Look at the files and their limits: SELECT name, size, max_size, growth FROM [{database|DATABASE}].sys.database_files; make room on the disk or raise the limit."
    where: SQL Server
    effect: with another limit, the file may take more of the disk
    undo: set the former limit
    when: database-file-full
  - step: "Find what fills the disk: Get-PSDrive -PSProvider FileSystem; then trace logs (Set-SPDiagnosticConfig -LogDiskSpaceUsageGB), usage data, IIS logs, temporary files."
    where: the server that wrote the row
    effect: with a lower limit, older trace logs are deleted on all servers
    undo: set the former limit; deleted logs are gone
    when: disk-full
verify: "Save an item, then run: fastctl diagnose --rule FS1113 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "Al's Tech Tips, SharePoint 2007: Troubleshooting MSSQLSERVER Application Error 9002 (\"The transaction log for database 'SharePoint_Config' is full\")"
    url: "http://alstechtips.blogspot.com/2011/04/sharepoint-2007-troubleshooting.html"
  - title: "Microsoft, MSSQLSERVER_1105 (\"Could not allocate space for object ... in database ... because the filegroup is full\")"
    url: "https://learn.microsoft.com/en-us/sql/relational-databases/errors-events/mssqlserver-1105-database-engine-error"
  - title: "Microsoft, MSSQLSERVER_9002 (full transaction log)"
    url: "https://learn.microsoft.com/en-us/sql/relational-databases/errors-events/mssqlserver-9002-database-engine-error"

"""##

private let FS1115 = ##"""
schema: fastctl.rule/1
id: FS1115
slug: web-server-throttles-requests
revision: 2
status: stable
title: A web server throttles requests
category: performance
tags: [sharepoint, http throttling, 503, server busy]

select:
  # Windows itself has an event 8032, of its computer browser.
  begins:
    event_id: "8032"
    area|contains: SharePoint
    capture: "performance counters include: {counter}."
  ends:
    event_id: "8062"
    area|contains: SharePoint

check:
  begins:
    count: {of: begins, gte: 1}
    label: "{count} time(s) throttling began"
  ends:
    count: {of: ends, gte: 1}
    label: "{count} time(s) it ended"
  often:
    count: {of: begins, gte: 3, within: 1h}

verdicts:
  - id: throttled-often
    when: often
    symptoms: [begins, ends]
    severity: error
    confidence: likely
    message: "A web server throttles requests again and again because a counter is beyond its limit ({counter|the row names the counter}): those of low priority get 503."
  - id: throttled
    when: {any: [begins, ends]}
    symptoms: [begins, ends]
    severity: warning
    confidence: likely
    message: "A web server throttled requests for some time because a counter was beyond its limit ({counter|the row names the counter}): those of low priority got 503."

explain:
  what: SharePoint measures its web servers, and refuses new requests of low priority while a counter is beyond its limit (8032); 8062 says that this is over, and how many requests were refused.
  why: The counter in the row says what was short, usually free memory or the number of requests that wait. The reason behind is in other rows of that time, for instance slow queries, a crawl, a backup or one page that many open. A single short period, such as after a restart, is usual.
  impact: Users see "The server is busy now. Try again later." with status 503, and timer jobs wait.

fix:
  - step: "See the limits: Get-SPWebApplicationHttpThrottlingMonitor URL, and the counters themselves: Get-Counter '\\Memory\\Available Mbytes', '\\ASP.NET\\Requests Current'."
    where: the server that wrote the row
    effect: none
    undo: none needed
  - step: "See what was slow at that time: fastctl logs slow --around TIME LOGS."
    where: the logs
    effect: none
    undo: none needed
  - step: Give the server more memory, or move crawls and jobs to another server or another hour. Change the limit only if the counter is wrong for your servers (Set-SPWebApplicationHttpThrottlingMonitor).
    where: the server that wrote the row, or the farm
    effect: a higher limit lets requests in that the server cannot serve in time
    undo: set the former limit
verify: "Wait an hour under load, then run: fastctl diagnose --rule FS1115 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "Microsoft, Throttling starts alert, Events 8032 and 8062 (\"Http throttling starts because a heavy load was detected on <server name>\")"
    url: "http://technet.microsoft.com/en-us/library/ee513044.aspx"

"""##

private let FS1116 = ##"""
schema: fastctl.rule/1
id: FS1116
slug: identity-lost-on-the-way-to-sql-server
revision: 1
status: stable
title: SQL Server refuses a connection without an identity
category: authentication
tags: [sharepoint, sql server, kerberos, delegation, external data]

select:
  # 18456 for the account that stands for nobody; it has no password, and its name is never translated in SQL Server.
  anonymous:
    level|gte: High
    message|contains: "ANONYMOUS LOGON'"
    message|contains|all: "Login failed for user"

check:
  anonymous:
    count: {of: anonymous, gte: 1}
    label: "{count} time(s) SQL Server refused NT AUTHORITY\\ANONYMOUS LOGON"

verdicts:
  - id: no-delegation
    when: anonymous
    symptoms: [anonymous]
    severity: warning
    confidence: likely
    message: "SQL Server refused ANONYMOUS LOGON: the connection carries nobody's identity. Mostly the user's does not get further than this server, as without Kerberos delegation."

explain:
  what: SharePoint connected to SQL Server in the name of the user who is signed in, and SQL Server saw NT AUTHORITY\ANONYMOUS LOGON.
  why: Windows hands a user's identity on to a second server only with Kerberos and delegation. With NTLM, with a service principal name that is missing, doubled or on another account, or without the right to delegate, what arrives is nobody. External data (BCS), Excel Services and Reporting Services connect so; pages do not reach SharePoint's own databases so, but commands over PowerShell remoting without CredSSP do.
  impact: External lists, workbooks or reports that use the identity of the user show an error. Other sites and lists are not affected.

fix:
  - step: "See which service principal names the account of SQL Server and the account of the service have, and whether one is registered twice: setspn -L ACCOUNT; setspn -X."
    where: a server of the domain
    effect: none
    undo: none needed
  - step: "See whether the account of the service may delegate to SQL Server: Get-ADUser ACCOUNT -Properties msDS-AllowedToDelegateTo, TrustedForDelegation, TrustedToAuthForDelegation."
    where: Windows PowerShell with the Active Directory module
    effect: none
    undo: none needed
  - step: Let the connection use stored credentials (Secure Store, or the unattended account), or register the names and allow the delegation. Do not give ANONYMOUS LOGON a login.
    where: the connection in SharePoint, or Active Directory
    effect: with stored credentials SQL Server sees one account for all users
    undo: restore the former setting of the connection, or take the delegation away
verify: "Refresh the data as an affected user, then run: fastctl diagnose --rule FS1116 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "Microsoft, You may experience connectivity issues if SQL Server service account delegation settings are misconfigured (\"Login failed for user 'NT AUTHORITY\\ANONYMOUS LOGON'\")"
    url: "https://support.microsoft.com/en-us/help/2443455/"

"""##

private let FS1117 = ##"""
schema: fastctl.rule/1
id: FS1117
slug: signature-of-token-not-accepted
revision: 1
status: stable
title: A token is refused because its signature cannot be validated
category: authentication
tags: [sharepoint, security token service, certificate, sign-in]

select:
  signature:
    event_id: ad5sl
    message|contains: "Failed to validate signature"

check:
  refused:
    count: {of: signature, distinct: request, gte: 1}
    label: "{count} request(s) with a token whose signature was refused"

verdicts:
  - id: old-signature
    when: refused
    symptoms: [refused]
    severity: warning
    confidence: possible
    message: "SharePoint refuses a token because of its signature: it may have been signed with a certificate that the Security Token Service no longer uses."

explain:
  what: A request came with a token, mostly in the cookie FedAuth, whose signature SharePoint could not validate.
  why: The Security Token Service signs the tokens that it gives out. After its certificate was replaced, browsers still send cookies with tokens that the former one has signed; they are refused until the users sign in anew. It also happens where the servers of a farm do not use the same certificate.
  impact: These users are sent back to the sign-in page, or get an error, until they have a new cookie.

fix:
  - step: "See which certificate the service signs with, and since when: (Get-SPSecurityTokenServiceConfig).LocalLoginProvider.SigningCertificate | Select Thumbprint, NotBefore, NotAfter; compare the day with the first such row, and the thumbprint on each server."
    where: SharePoint Management Shell, on each server
    effect: none
    undo: none needed
  - step: If it was replaced, let the affected users close the browser or delete the cookies of the site, and sign in again.
    where: the browsers of the users
    effect: the users sign in once more
    undo: none needed
verify: "After the users have signed in again, run: fastctl diagnose --rule FS1117 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "Microsoft, Error when you try to sign in to a SharePoint Server site collection (row ad5sl after the certificate of the Security Token Service was changed)"
    url: "https://support.microsoft.com/en-gb/topic/error-when-you-try-to-sign-in-to-a-sharepoint-server-site-collection-47847e2e-96e3-0967-4bfd-3426f291055b"

"""##

private let FS1118 = ##"""
schema: fastctl.rule/1
id: FS1118
slug: identity-provider-not-known
revision: 2
status: stable
title: SharePoint finds no user for a token because it fails at the identity provider
category: authentication
tags: [sharepoint, hybrid, search, claims, user profiles]
supersedes: [FS1002]

select:
  # The frames are never translated.
  not_mapped:
    - event_id: ae0sx
      message|contains|all: ["UserProfileIdentityClaimMapper.", "SPIdentityProviders.GetIdentityProviderType("]
    - level|gte: High
      message|contains|all: ["UserProfileIdentityClaimMapper.", "SPIdentityProviders.GetIdentityProviderType("]

check:
  refused:
    count: {of: not_mapped, distinct: request, gte: 1}
    label: "{count} request(s) whose user was not looked for, because the provider of the identity is not known"

verdicts:
  - id: no-rule-for-provider
    when: refused
    symptoms: [refused]
    severity: warning
    confidence: likely
    message: "SharePoint could not tell the type of the identity provider that a token names, and so found no user for it. Mostly the farm does not know the provider, as in a hybrid farm without the mapping rule for Microsoft 365."

explain:
  what: A call came with a token that names a user, mostly from another system such as search in Microsoft 365. SharePoint looks for the user's profile, must know for that what kind of provider the token names, and does not.
  why: Since the cumulative update of April 2014, SharePoint 2013 needs a rule that maps the provider of Microsoft 365 (urn:federation:microsoftonline). Microsoft describes it for inbound hybrid search. A token of another provider that the farm does not know ends in the same way.
  impact: The caller gets 401; users of Microsoft 365 see no results of the farm.

fix:
  - step: "See which rules there are: (Get-SPSecurityTokenServiceConfig).AuthenticationPipelineClaimMappingRules."
    where: SharePoint Management Shell
    effect: none
    undo: none needed
  - step: "If the rule is missing and the calls come from Microsoft 365: $c = Get-SPSecurityTokenServiceConfig; $c.AuthenticationPipelineClaimMappingRules.AddIdentityProviderNameMappingRule('OrgId Rule', [Microsoft.SharePoint.Administration.Claims.SPIdentityProviderTypes]::Forms, 'membership', 'urn:federation:microsoftonline'); $c.Update()."
    where: SharePoint Management Shell
    effect: tokens of this provider are mapped to users of the farm
    undo: remove the rule from the collection and update the configuration
verify: "Search from Microsoft 365 as an affected user, then run: fastctl diagnose --rule FS1118 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "Microsoft, SharePoint on-premises content isn't displayed in SharePoint Online search results (rows ae0sx, af3zp, and the mapping rule)"
    url: "https://github.com/MicrosoftDocs/OfficeDocs-Support"

"""##

private let FS1119 = ##"""
schema: fastctl.rule/1
id: FS1119
slug: oauth-token-service-not-found
revision: 2
status: stable
title: SharePoint gets no token because the token service answers 404
category: authentication
tags: [sharepoint, hybrid, search, oauth]

select:
  # The frame and the number are never translated; each row is of one kind.
  not_found:
    - message|contains|all: ["SPOAuth2Client.GetResponse(", "(404)"]
      level|gte: High
    - message|contains|all: ["SPOAuth2Client.GetResponse(", "(404)"]
      event_id: 8nca

check:
  not_found:
    count: {of: not_found, distinct: request, gte: 1}
    label: "{count} request(s) for a token were answered with 404"

verdicts:
  - id: not-found
    when: not_found
    symptoms: [not_found]
    severity: warning
    confidence: possible
    message: "The address of the token service that SharePoint asks answers 404; with hybrid search, a search proxy in partitioned mode may be the cause."

explain:
  what: SharePoint asked a token service for a token (OAuth), mostly to call Microsoft 365 or another system in the name of a user, and the address with the realm that it named answered 404.
  why: A search service application proxy in partitioned mode asks in the name of a tenant that Microsoft 365 does not know; Microsoft does not support it for hybrid search. A realm that is not the tenant's, or a wrong address of the token service, ends in the same way.
  impact: What was to be fetched is missing, such as the results of Microsoft 365 in the search of the farm.

fix:
  - step: "See whether the search proxy is partitioned: (Get-SPEnterpriseSearchServiceApplicationProxy).Properties (SPPartitionOptions)."
    where: SharePoint Management Shell
    effect: none
    undo: none needed
  - step: "Compare the realm of the farm with the ID of the tenant, and read the address of the token service: Get-SPAuthenticationRealm; Get-SPTrustedSecurityTokenIssuer | Select Name, RegisteredIssuerName, MetadataEndPoint."
    where: SharePoint Management Shell
    effect: none
    undo: none needed
  - step: "If it is partitioned and the farm has one tenant, back up the search service application, then turn the partitions off: $p = Get-SPEnterpriseSearchServiceApplicationProxy; $p.Properties['Microsoft.Office.Server.Utilities.SPPartitionOptions'] = 0; $p.Update(); $s = Get-SPEnterpriseSearchServiceApplication; $s.SetProperty('IgnoreTenantization', 1); $s.Update()."
    where: SharePoint Management Shell
    effect: search no longer keeps tenants apart
    undo: set the former values
  - step: "If that does not help, remove the proxy (Remove-SPServiceApplicationProxy) and create it again without partitions (New-SPEnterpriseSearchServiceApplicationProxy without -Partitioned)."
    where: SharePoint Management Shell
    effect: search does not answer between the two steps; farms with several tenants need the partitions
    undo: create the proxy with -Partitioned
verify: "Search as an affected user, then run: fastctl diagnose --rule FS1119 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "Microsoft, SharePoint Online content isn't displayed in a SharePoint on-premises search (the exception with 404, and the proxy in partitioned mode)"
    url: "https://github.com/MicrosoftDocs/OfficeDocs-Support"

"""##

private let FS9101 = ##"""
schema: fastctl.rule/1
id: FS9101
slug: cobalt-trace
revision: 1
status: test
kind: noise
title: Trace of the co-authoring protocol
category: noise
tags: [sharepoint, noise]

select:
  noise:
    event_id: abnwk

check:
  seen:
    count: {of: noise, gte: 1}
    label: "{count} row(s)"

verdicts:
  - id: noise
    when: seen
    symptoms: [seen]
    severity: info
    confidence: likely
    message: "{count} row(s) mean nothing by themselves."

explain:
  what: Rows of the protocol that Office uses for working on a document together, written as Unexpected although nothing fails.
  why: The code writes its trace at a level that is too high.

fix:
  - step: Nothing; read the rows around them.
    where: nowhere
    effect: none
    undo: none needed
verify: There is nothing to verify.

references:
  - title: The catalogue of ULS failures, part F, "Noise, never a cause by itself", seen in healthy farms.

"""##

private let FS9102 = ##"""
schema: fastctl.rule/1
id: FS9102
slug: unused-output-parameter
revision: 1
status: test
kind: noise
title: An output parameter of a stored procedure was not used
category: noise
tags: [sharepoint, noise]

select:
  noise:
    event_id: 7v48

check:
  seen:
    count: {of: noise, gte: 1}
    label: "{count} row(s)"

verdicts:
  - id: noise
    when: seen
    symptoms: [seen]
    severity: info
    confidence: likely
    message: "{count} row(s) mean nothing by themselves."

explain:
  what: A stored procedure returned a value that the caller does not read.
  why: It costs nothing and loses nothing.

fix:
  - step: Nothing; read the rows around them.
    where: nowhere
    effect: none
    undo: none needed
verify: There is nothing to verify.

references:
  - title: The catalogue of ULS failures, part F, "Noise, never a cause by itself", seen in healthy farms.

"""##

private let FS9103 = ##"""
schema: fastctl.rule/1
id: FS9103
slug: navigation-includes-and-excludes
revision: 1
status: test
kind: noise
title: Publishing navigation includes and excludes pages
category: noise
tags: [sharepoint, noise]

select:
  noise:
    event_id: [6wzd, 6wze]

check:
  seen:
    count: {of: noise, gte: 1}
    label: "{count} row(s)"

verdicts:
  - id: noise
    when: seen
    symptoms: [seen]
    severity: info
    confidence: likely
    message: "{count} row(s) mean nothing by themselves."

explain:
  what: The settings of a site's navigation, as they are read or saved.
  why: They are facts, not failures; settings that are not kept show elsewhere.

fix:
  - step: Nothing; read the rows around them.
    where: nowhere
    effect: none
    undo: none needed
verify: There is nothing to verify.

references:
  - title: The catalogue of ULS failures, part F, "Noise, never a cause by itself", seen in healthy farms.

"""##

private let FS9104 = ##"""
schema: fastctl.rule/1
id: FS9104
slug: custom-code-without-event-id
revision: 1
status: test
kind: noise
title: Rows without an event ID, mostly of custom code
category: noise
tags: [sharepoint, noise]

select:
  noise:
    event_id: ["0000", "00000"]
    message|contains|none: ["Exception", "an error occur", "failed to "]

check:
  seen:
    count: {of: noise, gte: 1}
    label: "{count} row(s)"

verdicts:
  - id: noise
    when: seen
    symptoms: [seen]
    severity: info
    confidence: likely
    message: "{count} row(s) mean nothing by themselves."

explain:
  what: Code that is not Microsoft's writes rows without an event ID.
  why: Its authors chose the level. A row that holds an exception, or says what failed, is no noise.

fix:
  - step: Nothing; read the rows around them.
    where: nowhere
    effect: none
    undo: none needed
verify: There is nothing to verify.

references:
  - title: The catalogue of ULS failures, part F, "Noise, never a cause by itself", seen in healthy farms.

"""##

private let FS9105 = ##"""
schema: fastctl.rule/1
id: FS9105
slug: custom-server-role
revision: 1
status: test
kind: noise
title: A server with the role Custom is left out of a role check
category: noise
tags: [sharepoint, noise]

select:
  noise:
    event_id: a75h7

check:
  seen:
    count: {of: noise, gte: 1}
    label: "{count} row(s)"

verdicts:
  - id: noise
    when: seen
    symptoms: [seen]
    severity: info
    confidence: likely
    message: "{count} row(s) mean nothing by themselves."

explain:
  what: The check of server roles leaves servers with the role Custom out.
  why: It is what the role Custom is for.

fix:
  - step: Nothing; read the rows around them.
    where: nowhere
    effect: none
    undo: none needed
verify: There is nothing to verify.

references:
  - title: The catalogue of ULS failures, part F, "Noise, never a cause by itself", seen in healthy farms.

"""##

private let FS9106 = ##"""
schema: fastctl.rule/1
id: FS9106
slug: no-workflow-service
revision: 1
status: test
kind: noise
title: No workflow service is registered
category: noise
tags: [sharepoint, noise]

select:
  noise:
    event_id: aighj

check:
  seen:
    count: {of: noise, gte: 1}
    label: "{count} row(s)"

verdicts:
  - id: noise
    when: seen
    symptoms: [seen]
    severity: info
    confidence: likely
    message: "{count} row(s) mean nothing by themselves."

explain:
  what: Something asked for the workflow service, and none is registered.
  why: Where workflows are not used, none is needed.

fix:
  - step: Nothing; read the rows around them.
    where: nowhere
    effect: none
    undo: none needed
verify: There is nothing to verify.

references:
  - title: The catalogue of ULS failures, part F, "Noise, never a cause by itself", seen in healthy farms.

"""##

private let FS9107 = ##"""
schema: fastctl.rule/1
id: FS9107
slug: logging-started
revision: 1
status: test
kind: noise
title: The logging of a process has started
category: noise
tags: [sharepoint, noise]

select:
  noise:
    event_id: b8fx

check:
  seen:
    count: {of: noise, gte: 1}
    label: "{count} row(s)"

verdicts:
  - id: noise
    when: seen
    symptoms: [seen]
    severity: info
    confidence: likely
    message: "{count} row(s) mean nothing by themselves."

explain:
  what: A process has started and begins to log.
  why: It marks a start, which is no failure by itself; findings name it where something begins after it.

fix:
  - step: Nothing; read the rows around them.
    where: nowhere
    effect: none
    undo: none needed
verify: There is nothing to verify.

references:
  - title: The catalogue of ULS failures, part F, "Noise, never a cause by itself", seen in healthy farms.

"""##

private let FS9108 = ##"""
schema: fastctl.rule/1
id: FS9108
slug: all-sites-enumerated
revision: 1
status: test
kind: noise
title: All sites are enumerated
category: noise
tags: [sharepoint, noise]

select:
  noise:
    event_id: [4ohp, 4ohq]

check:
  seen:
    count: {of: noise, gte: 1}
    label: "{count} row(s)"

verdicts:
  - id: noise
    when: seen
    symptoms: [seen]
    severity: info
    confidence: likely
    message: "{count} row(s) mean nothing by themselves."

explain:
  what: Code goes through all sites of a web application, and the row holds the stack that asked for it.
  why: It is a hint that this may be slow; the stack is no exception.

fix:
  - step: Nothing; read the rows around them.
    where: nowhere
    effect: none
    undo: none needed
verify: There is nothing to verify.

references:
  - title: The catalogue of ULS failures, part F, "Noise, never a cause by itself", seen in healthy farms.

"""##
