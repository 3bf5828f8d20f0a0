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
        RuleFile(name: "FS1018.yaml", text: FS1018),
        RuleFile(name: "FS1029.yaml", text: FS1029),
        RuleFile(name: "FS1035.yaml", text: FS1035),
        RuleFile(name: "FS1037.yaml", text: FS1037),
        RuleFile(name: "FS1043.yaml", text: FS1043),
        RuleFile(name: "FS1047.yaml", text: FS1047),
        RuleFile(name: "FS1048.yaml", text: FS1048),
        RuleFile(name: "FS1049.yaml", text: FS1049),
        RuleFile(name: "FS1058.yaml", text: FS1058),
        RuleFile(name: "FS1061.yaml", text: FS1061),
        RuleFile(name: "FS1063.yaml", text: FS1063),
        RuleFile(name: "FS1067.yaml", text: FS1067),
        RuleFile(name: "FS1068.yaml", text: FS1068),
        RuleFile(name: "FS1073.yaml", text: FS1073),
        RuleFile(name: "FS1078.yaml", text: FS1078),
        RuleFile(name: "FS1079.yaml", text: FS1079),
        RuleFile(name: "FS1082.yaml", text: FS1082),
        RuleFile(name: "FS1087.yaml", text: FS1087),
        RuleFile(name: "FS1089.yaml", text: FS1089),
        RuleFile(name: "FS1091.yaml", text: FS1091),
        RuleFile(name: "FS1093.yaml", text: FS1093),
        RuleFile(name: "FS1101.yaml", text: FS1101),
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
revision: 1
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
    The web application has system.web/trace enabled. ASP.NET then records every request and walks through all controls
    of every page.
  why: >-
    With tracing on, requests to owssvr.dll look for SharePoint's language files wss*.resx in a folder that has never
    had them, and fail. On pages, two controls with the same ID make that walk throw an HttpException. Trace output at
    the end of a page (pageOutput) breaks partial postbacks. A message about FindControl instead of Trace has nothing to
    do with this. Rows are recognized by event ID and stack frame; without a stack, the English sentence is needed.
  impact: >-
    Users cannot save list views, SharePoint Designer cannot open the site, web part pages cannot be created; search and
    settings pages may show an error. Other web applications of the farm are not affected.

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
title: Pages are compiled for debugging
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
    message: "Pages are compiled for debugging ({debug.at})."

explain:
  what: The compilation element of a web.config has debug="true", which is meant for development.
  why: >-
    Pages take longer to compile because batches are off, code runs slower, more memory is used, and scripts and images
    of WebResource.axd are fetched again with every page. Somebody probably switched it on to find an error.
  impact: All users of the web application wait longer; the servers do more work for each page.

fix:
  - step: Set debug="false" at {debug.at}.
    where: each web front end, each zone of the web application
    effect: saving web.config restarts the web application; requests in flight are lost and the next ones are slow
    undo: set debug="true" again
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
title: Remote users see the details of errors
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
    message: "Remote users see ASP.NET's error details, because customErrors is Off ({off.at})."

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
title: SharePoint shows the call stack of errors
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
    message: "SharePoint's error pages show the call stack, because SafeMode has CallStack=\"true\" ({shown.at})."

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
revision: 1
status: stable
title: Servers have different machine keys
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
    confidence: certain
    message: "The servers have different machine keys: behind a load balancer, postbacks and forms sign-ins fail at random."
  - id: made-by-server
    when: {all: [made_by_server, {not: validation_key}]}
    severity: warning
    confidence: certain
    message: "Each server makes its own machine key ({made_by_server.at}): behind a load balancer, postbacks and forms sign-ins fail at random."

explain:
  what: >-
    The web.config files of several servers, given with the servers' names, do not have the same machineKey: the keys
    differ, or each server generates its own.
  why: >-
    With these keys, ASP.NET signs the view state of pages and encrypts the tickets of forms authentication. A server
    refuses what a server with another key has signed. "AutoGenerate" never works for several servers, because the
    secret stays on the machine.
  impact: >-
    A postback that the load balancer sends to another server fails ("Validation of viewstate MAC failed"), and users of
    forms authentication have to sign in again. With sticky sessions, it happens when a server is taken out of service.

fix:
  - step: >-
      Redeploy the farm's keys with Update-SPMachineKey (Subscription Edition), or copy the machineKey element of one
      server to all others.
    where: each web front end, the same zone of the same web application; other web applications have their own keys
    effect: the web application restarts; open pages must be loaded again, and forms users must sign in again
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

"""##

private let FS1002 = ##"""
schema: fastctl.rule/1
id: FS1002
slug: page-exception
revision: 2
status: stable
title: Requests end with an error page
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
    message: "{failed.count} request(s) failed with an exception; the first that is named: {exception|none} ({text|see the evidence}); the first page: {page|not logged}."

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
  - step: See the whole request with fastctl logs trace CORRELATION.
verify: Open the page again as the same user; fastctl diagnose --rule FS1002 --since TIME-OF-THE-CHANGE LOGS must find nothing.

references:
  - title: >-
      "Requested registry access is not allowed" error: published rows 8nca, 6616 (Critical, Runtime) and ajlz0 "Getting
      Error Message for Exception" of one request
    url: https://github.com/MicrosoftDocs/OfficeDocs-Support
  - title: "Records Center, Generate a file plan report: a published row tkau with exception and stack"
    url: https://github.com/TheSharePointFarm/thesharepointfarm.github.io/blob/HEAD/_posts/2013-05-21-records-center-generate-a-file-plan-report-link-produces-an-error.md

"""##

private let FS1018 = ##"""
schema: fastctl.rule/1
id: FS1018
slug: mixed-builds
revision: 2
status: stable
title: Microsoft code lacks a method or is damaged
category: updates
tags: [sharepoint, patching]
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
    label: "{count} request(s) or job(s) called Microsoft.{method}, which does not exist"
  damaged:
    count: {of: invalid_program, distinct: request, gte: 1}
    label: "{count} request(s) or job(s) met an invalid program in Microsoft.{damaged}"
  stub:
    count: {of: stub, distinct: request, gte: 1}
    label: "{count} request(s) or job(s) met it in Microsoft.Office.Server, which SharePoint Foundation does not have"

verdicts:
  - id: missing-method
    when: missing
    symptoms: [missing, damaged]
    severity: warning
    confidence: likely
    message: "Microsoft's code calls Microsoft.{method}, which does not exist on this server; files of different builds are the usual cause."
  - id: edition
    when: stub
    symptoms: [damaged, stub]
    severity: warning
    confidence: likely
    message: "Microsoft.{damaged} cannot be executed: on SharePoint Foundation it may be only a stub, on other editions a file may be damaged."
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
      Find the edition: (Get-SPFarm).Products and Get-SPProduct. On SharePoint Foundation, remove the page, feature or
      service that calls Microsoft.Office.Server instead of patching anything.
    where: SharePoint Management Shell
    when: edition
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
      October 2017 CU site creation error: "Error=Common Language Runtime detected an invalid program.   at
      Microsoft.Office.Server.UserProfiles.ProfileLoader.GetProfileLoader()"
    url: https://github.com/TheSharePointFarm/thesharepointfarm.github.io
  - title: >-
      A lesson learned from a SharePoint patch installation: MissingMethodException after one product of the farm was
      patched
    url: http://benhuang.blogspot.com/2012/03/lesson-learned-from-sharepoint-patch.html

"""##

private let FS1029 = ##"""
schema: fastctl.rule/1
id: FS1029
slug: oauth-call-lacks-group-claims
revision: 2
status: stable
title: A call of client.svc is refused, perhaps because the SAML user's groups are not passed on
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

check:
  by_application:
    sequence: {steps: [oauth, no_permission, refused], by: request}
    label: "{count} refused request(s) came with the token of an application"
  refused:
    sequence: {steps: [no_permission, refused], by: request}
    label: "{count} request(s) were refused for want of every right except Use Remote Interfaces"

verdicts:
  - id: no-group-claims
    when: by_application
    symptoms: [by_application, refused]
    severity: error
    confidence: likely
    message: "client.svc refuses an application that acts for a user ({by_application.count} request(s)): the user has no right to open the site; groups of a SAML user may not have been passed on."
  - id: no-right
    when: refused
    symptoms: [refused]
    severity: warning
    confidence: likely
    message: "client.svc refuses a caller that has no right to open the site ({refused.count} request(s)); nothing shows that this is more than a missing right."

explain:
  what: A workflow, an add-in, Office Web Apps or another server called client.svc for a user, and the permission check failed before the call began.
  why: Users of a SAML provider often get their rights through a Role or GroupSID claim. Before the cumulative update of March 2016 (15.0.4805.1000), SharePoint 2013 did not pass those claims on when it built the identity of an OAuth caller, so that only rights granted to the user by name were left. A user who really has no right looks the same in the log, and a client that signs in only when asked may be refused once before a call that succeeds. First find out whether the same user can open the site in a browser, whether the call was made by an application (OAuth), and whether it fails in the end.
  impact: SharePoint 2013 workflows, provider-hosted add-ins, Office Web Apps and hybrid features fail with 401 for users who get their rights through groups.

fix:
  - step: Sign in with a browser as the user who was refused, and open the site. If that fails too, the user has no right there, and the log shows nothing else.
    where: a browser
    effect: none
    undo: none needed
  - step: Otherwise install the cumulative update of March 2016 or a later one, and run the configuration wizard.
    where: all servers of the farm
    effect: the farm is offline while the wizard runs
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

private let FS1035 = ##"""
schema: fastctl.rule/1
id: FS1035
slug: no-windows-identity
revision: 2
status: stable
title: Claims users get no Windows identity
category: authentication
tags: [sharepoint, claims, c2wts, kerberos]

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

check:
  refused:
    count: {of: refused, gte: 1}
    label: "{count} time(s) the Claims to Windows Token Service refused the caller"
  no_identity:
    count: {of: no_identity, gte: 1}
    label: "{count} time(s) there was no Windows identity"
  no_token:
    count: {of: no_token, gte: 1}
    label: "{count} time(s) the token cache had nothing for the user"

verdicts:
  - id: refused
    when: refused
    symptoms: [refused, no_identity, no_token]
    severity: warning
    confidence: likely
    message: "The Claims to Windows Token Service refuses to make a Windows token for {user|a user}: the caller is not allowed to ask."
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
    principal name. Trusted providers such as ADFS never get a Windows identity this way. Accounts of services, such as
    network service, do not count: SharePoint asks for their identity in healthy farms too.
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
  - step: Add the caller (WSS_WPG holds the pool accounts) to allowedCallers of c2wtshost.exe.config and restart the service.
    where: 'C:\Program Files\Windows Identity Foundation\v3.5\c2wtshost.exe.config on each server that runs the service application'
    effect: connections to external data fail while the service restarts
    undo: remove the entry
    when: refused
  - step: If nothing that users need is broken, you can ignore the rows.
    when: no-identity
verify: >-
  Refresh external data as an affected user; fastctl diagnose --rule FS1035 --since TIME-OF-THE-CHANGE LOGS must find
  nothing.

references:
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
revision: 2
status: stable
title: The people picker cannot find the domain of a trusted forest
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
    severity: error
    confidence: likely
    message: "The people picker finds no domain controller for {domain|a trusted domain}: Windows cannot resolve its NetBIOS name (error 1355), so {user|the user} is not found."
  - id: domain-unknown
    when: no_domain
    symptoms: [no_domain]
    severity: warning
    confidence: likely
    message: "Windows finds no domain controller for {domain|a domain} (error 1355); that the people picker fails is not in the log. A mistyped domain looks the same."

explain:
  what: Somebody typed a name from a trusted domain into the people picker, and SharePoint could not find a domain controller for that domain.
  why: SharePoint asks for the domain by its short NetBIOS name. Without WINS or another way to resolve short names across forests, Windows answers 1355 (the domain does not exist or cannot be contacted). A domain that somebody mistyped gives the same rows. Row 72e9, which names the user, is often missing where the log is not verbose enough.
  impact: Users of the trusted forest cannot be added to sites; the people picker says that no exact match was found.

fix:
  - step: "Check that {domain|the domain} is the name of a trusted domain and not a slip: nltest /dsgetdc:{domain|DOMAIN} on this server."
    where: the server that wrote the row
    effect: none
    undo: none needed
  - step: "Set the farm property disable-netbios-dc-resolve, and list {domain|the domain} with its DNS name and its short name in PeoplePickerSettings.SearchActiveDirectoryDomains of the web application."
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

private let FS1043 = ##"""
schema: fastctl.rule/1
id: FS1043
slug: update-conflict-of-configuration-object
revision: 2
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
  upgrade: # the session of an upgrade, which no cache holds
    event_id: ["75bd", "8xqz"]
    message|contains|all: ["UpdatedConcurrencyException", "SPUpgradeSession"]
    capture: ["The object {object} was updated by", "The object {object} is being updated by"]

check:
  refused:
    count: {of: conflict, gte: 1}
    label: "{count} change(s) refused"
  upgrade:
    count: {of: upgrade, gte: 1}
    label: "{count} change(s) to the session of an upgrade refused"
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
    when: upgrade
    symptoms: [upgrade, refused]
    severity: warning
    confidence: likely
    message: "Two upgrades met: {object|the session of an upgrade} was changed by another process at the same time (update conflict)."
  - id: one-conflict
    when: refused
    symptoms: [refused]
    severity: warning
    confidence: likely
    message: "A change to {object|a configuration object} is refused because another copy of it was saved first (update conflict). Once is usual: the next attempt works."

explain:
  what: SharePoint tried to save a configuration object whose version in the configuration database is not the version that this server read.
  why: Either two people or jobs changed the same object at the same time, or the file system cache of a server is out of step with the configuration database, for instance after the database was restored. In the second case, every attempt fails. Jobs try again by themselves, so a single row is a warning. The session of an upgrade (SPUpgradeSession) is changed by the configuration wizard; a conflict there means that it runs twice.
  impact: The change is not saved at that moment. While the cache is out of step, no setting of that object can be changed on this server.

fix:
  - step: Let the configuration wizard or the upgrade run on one server at a time; see with Get-Process psconfig* that none is left, then start it again. Do not clear the configuration cache for this.
    where: all servers of the farm
    effect: none
    undo: none needed
    when: upgrade-session
  - step: Repeat the change once; if it is saved now, two changes collided and nothing else is wrong.
    where: where the change was made
    effect: none
    undo: change the setting back
    when: [update-conflict, one-conflict]
  - step: "Otherwise clear the configuration cache: stop the SharePoint timer service on all servers; in the folder with cache.ini below %ProgramData%\\Microsoft\\SharePoint\\Config delete the XML files (keep the folder and a copy of cache.ini), write 1 into cache.ini, and start the service again."
    where: all servers of the farm, one after the other
    effect: timer jobs do not run until the service is started; the server reads its configuration again
    undo: the cache fills again by itself
    when: update-conflict
verify: "Repeat the change, then run: fastctl diagnose --rule FS1043 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "Microsoft, \"An update conflict has occurred, and you must retry this action\" when changing or deleting an alternate access mapping (rows 8xqz, 75bd)"
    url: "https://learn.microsoft.com/en-us/sharepoint/troubleshoot/security/update-conflict-when-modify-or-delete-alternate-access-mapping"

"""##

private let FS1047 = ##"""
schema: fastctl.rule/1
id: FS1047
slug: sql-deadlock-victim
revision: 2
status: stable
title: SQL Server chose a SharePoint query as a deadlock victim
category: database
tags: [sharepoint, sql server, deadlock, project server]

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
    message: "SQL Server ended {procedure|a query} as a deadlock victim (error 1205); its changes were rolled back. Most callers try again by themselves."

explain:
  what: Two transactions waited for each other's locks, and SQL Server rolled one of them back. SharePoint reports the error; most timer jobs and procedures repeat the query, so that a few rows are no failure.
  why: Jobs that change permissions of many sites at the same time are a known cause, in particular those of Project Server that synchronize the permissions of workspaces. Other long transactions on the same content database do the same. The text around the number is English in all known rows.
  impact: Where nobody repeats the query, what it should have changed is not changed, or only in part; permissions of users may be incomplete.

fix:
  - step: Find out which jobs run at the times of the rows, and run fewer of them at a time.
    where: timer job schedules in Central Administration; the queue of Project Server
    effect: the jobs take longer when they run one after the other
    undo: restore the schedules
  - step: Repeat the action that was rolled back, such as the synchronization of the workspace's permissions.
    where: where it was started
    effect: none
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
  - step: Set the maximum degree of parallelism to 1, as SharePoint requires.
    where: SQL Server, the instance of the farm
    effect: takes effect at once for all databases of the instance
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
revision: 2
status: stable
title: SQL Server denies SharePoint access to a database object
category: database
tags: [sharepoint, sql server, permissions, rbs, project server]
per: [permission, object]

select:
  denied:
    # The text of SQL Server; under which event it comes varies.
    - level|gte: High
      message|contains|all: ["SqlException", "permission was denied on the object '"]
      capture: [": The {permission} permission was denied on the object '{object}'", "The {permission} permission was denied on the object '{object}'", "permission was denied on the object '{object}'", "', database '{database}'", "', schema '{schema}'"]
    - category: Database # or a message alone, as somebody quoted it
      level|gte: High
      message|contains: "permission was denied on the object '"
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

verdicts:
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
  what: A SharePoint account logged in to SQL Server, but may not use a table, view, procedure or function that it needs.
  why: The account of the application pool or the farm is not a member of the database role that grants the right, or dbo of the database is mapped to an account other than the farm's. Objects in schema mssqlrbs belong to Remote BLOB Storage; those in schema pjpub to Project Server. The text is SQL Server's in English; a log in which SQL Server writes another language is not recognized. A row that is neither an exception of SQL Server nor of the category Database may only quote the text, so it is a warning.
  impact: What needs the object fails, for instance opening documents that are stored as remote BLOBs, or the upgrade of a content database.

fix:
  - step: "If the schema is mssqlrbs, make the account of the application pool a member of the roles db_rbs_reader, db_rbs_writer and any other db_rbs_* role that it needs in {database|the database}."
    where: SQL Server, the named content database
    effect: none on other databases
    undo: remove the account from the roles
  - step: "If the upgrade of a content database with Project Server tables failed, map dbo of {database|the database} to the account of the farm and run the configuration wizard again."
    where: SQL Server, then each server on which the wizard failed
    effect: the farm is offline while the wizard runs
    undo: map dbo back to its previous account
  - step: "Otherwise find out which account was refused (SQL Server's log or a trace), and give it the role that SharePoint grants; do not grant rights on single objects."
    where: SQL Server
    effect: none
    undo: remove the account from the role
verify: "Repeat the action, then run: fastctl diagnose --rule FS1049 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "The SharePoint Farm, SharePoint Server 2016 Project Server public update issue (\"The SELECT permission was denied on the object 'MSP_PROJECTS', database ..., schema 'pjpub'\")"
    url: "https://github.com/TheSharePointFarm/thesharepointfarm.github.io/blob/2b88bfe8d8/_posts/2020-01-22-sharepoint-2016-project-server-update-issue.md"
  - title: "Microsoft, Something went wrong error in Excel web parts (\"The EXECUTE permission was denied on the object 'rbs_fn_get_blob_reference', database ..., schema 'mssqlrbs'\")"
    url: "https://github.com/MicrosoftDocs/OfficeDocs-Support/blob/36878e0e10/SharePoint/SharePointExperts/web-parts/something-went-wrong-error-in-excel-web-parts.md"

"""##

private let FS1058 = ##"""
schema: fastctl.rule/1
id: FS1058
slug: distributed-cache-fails
revision: 2
status: stable
title: The Distributed Cache does not answer
category: services
tags: [sharepoint, distributed cache, appfabric, sign-in, newsfeed]

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

verdicts:
  - id: no-cache-hosts
    when: no_hosts_often
    symptoms: [no_hosts, unavailable, slow]
    severity: error
    confidence: likely
    message: "The farm has no running cache host: sign-in tokens, newsfeeds and other cached data are not shared."
  - id: cluster-down
    when: unavailable_often
    symptoms: [no_hosts, unavailable, slow]
    severity: error
    confidence: likely
    message: "The cache cluster does not serve {usage|its clients} (ERRCA0017, again and again): a host is stopped, or client and cluster disagree on security."
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
    message: "For a moment the farm had no running cache host, as while servers start."
  - id: cluster-unavailable-once
    when: unavailable
    symptoms: [unavailable, slow]
    severity: warning
    confidence: likely
    message: "The cache cluster did not serve {usage|a client} for a moment (ERRCA0017): the client is told to try again later."
  - id: some-time-outs
    when: slow
    symptoms: [slow]
    severity: warning
    confidence: likely
    message: "Some requests to the Distributed Cache timed out ({usage|usage unknown} at {host|an unnamed host}); SharePoint waits for them only briefly."

explain:
  what: SharePoint keeps sign-in tokens, view state, newsfeeds and security trimming data in the Distributed Cache (AppFabric), and cannot read or write there.
  why: Either no server runs the service, or the cluster refuses or cannot serve its clients, or a host answers too late. Since the updates of January 2023, client and cluster must agree on the security of the transport; where the configuration wizard did not apply this, all clients fail with ERRCA0017. Time-outs come from long garbage collections of a host (AppFabric before cumulative update 3, or without backgroundGC), from too little memory, or from the network. SharePoint waits for the cache only briefly, so that healthy farms have single time-outs and failures that pass; these are warnings.
  impact: "While it lasts: users are sent to the sign-in page at random, newsfeeds stay empty, pages are slow."

fix:
  - step: Start the Distributed Cache where it should run, or add a host with Add-SPDistributedCacheServiceInstance; never use the Windows services console for it.
    where: the servers that are meant to be cache hosts
    effect: the cache takes its memory from the server
    undo: Remove-SPDistributedCacheServiceInstance on that server
    when: [no-cache-hosts, no-cache-hosts-once]
  - step: Compare what Get-SPServiceInstance says about the Distributed Cache with the hosts of the cluster (Use-CacheCluster and Get-CacheHost; in the Subscription Edition Use-SPCacheCluster and Get-SPCacheHost), and repair the host that differs or is down.
    where: a cache host, SharePoint Management Shell
    effect: a host that is restarted loses what it cached; users may have to sign in again
    undo: none needed
    when: [no-cache-hosts, cluster-down, cluster-unavailable-once]
  - step: If it began with the updates of January 2023 or later, check the security settings of the cluster and repair them as Stefan Goßner's article describes.
    where: a cache host
    effect: the cluster is restarted; users may have to sign in again
    undo: set the former security mode in the same way
    when: cluster-down
  - step: Install the newest cumulative update of AppFabric 1.1 and add the key backgroundGC with the value true to appSettings in DistributedCacheService.exe.config.
    where: each cache host, one after the other (SharePoint 2013 to 2019)
    effect: the host is stopped during the update and loses what it cached
    undo: remove the key
    when: request-timed-out
  - step: Give the hosts enough memory and do not run search or SQL Server on them.
    where: cache hosts
    effect: none
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

private let FS1061 = ##"""
schema: fastctl.rule/1
id: FS1061
slug: trace-log-storage
revision: 1
status: stable
title: Trace logs reach their limit or cannot be deleted
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
    message: "A trace log cannot be deleted because another process holds it open: {file|see the evidence}."
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
    message: "Trace logs reach their storage limit of {limit|(not logged)} GB: older files are deleted before their time."

explain:
  what: >-
    The tracing service reports that it cannot delete an old trace log (b9ws), or that the logs will soon take as much
    space as they may (8094). A row b9wt, which says that an old log was deleted, is normal and not a finding.
  why: >-
    A log collector, a viewer, a backup or a virus scanner has opened the file without allowing it to be deleted (error
    00000020), or the service's account has no right to delete it. The limit is too low for the levels that are logged;
    often Verbose was left on.
  impact: >-
    The disk fills up, and then SharePoint logs nothing; or the rows that explain a failure are already deleted when
    somebody looks for them.

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
    effect: takes effect at once; without Verbose, some rows are no longer written
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
revision: 1
status: stable
title: A service cannot be provisioned because STSSOAP.DLL is in use
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
    message: "A service cannot be provisioned: another process holds STSSOAP.DLL of {site|a web application}."

explain:
  what: When a service is provisioned, SharePoint copies STSSOAP.DLL to the _app_bin folder of each web application. Another process holds the file there, so the copy fails.
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

private let FS1067 = ##"""
schema: fastctl.rule/1
id: FS1067
slug: crawler-fails-after-dotnet-update
revision: 1
status: stable
title: The crawler cannot open SQL connections after a .NET update
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
    message: "{program|mssdmn}.exe cannot open SQL connections: a configuration section that .NET has needed since September 2018 is not defined for it."

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
    message: "The account of the search service lacks a user right, so content processing cannot start a parser."

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
revision: 2
status: stable
title: The crawl for FAST Search waits because the server has too little free memory
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
    message: "The content plug-in sends no documents to FAST Search: memory is {load|?}% full, and the limit is {limit|?}%."
  - id: memory-short
    when: waiting
    symptoms: [waiting]
    severity: warning
    confidence: likely
    message: "The content plug-in had to wait for memory before it sent documents to FAST Search ({waiting.count} row(s), {load|?}% full, limit {limit|?}%)."

explain:
  what: The content plug-in of the crawler stops handing documents to FAST Search while the server's memory is fuller than a limit, and resumes when it is below the limit again.
  why: The limit is 80 percent of the memory of the whole server, unless MaxMemoryLoad says otherwise. Other programs on the server count as well, SQL Server above all. Short waits are the way the crawler adapts, and are a warning; ten rows within ten minutes are an error. The row is known only in English.
  impact: While it lasts, the crawl stands still or is very slow; new content does not appear in search results.

fix:
  - step: Free memory on the server, for instance by a limit for SQL Server or by moving other services away, or add memory.
    where: the server that crawls
    effect: none on the index
    undo: none needed
  - step: On a development server only, raise the limit with New-SPEnterpriseSearchExtendedConnectorProperty (name MaxMemoryLoad, a value in percent), and restart SharePoint Search. The property is not documented by Microsoft.
    where: SharePoint Management Shell, for the FAST content search service application
    effect: the server may run out of memory
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
revision: 1
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
  mode:
    count: {of: slowed_down, gte: 1}
    label: "{count} row(s) report throttling mode"

verdicts:
  - id: submissions-refused
    when: submissions
    symptoms: [submissions, mode]
    severity: error
    confidence: likely
    message: "SharePoint Online refused {submissions.count} batch(es) of crawled items because too many were sent (0x80040dd1)."
  - id: throttling-mode
    when: mode
    symptoms: [mode]
    severity: warning
    confidence: likely
    message: "The crawl for the cloud index is in throttling mode: it sends fewer items than it could."

explain:
  what: The cloud search service application sends crawled items to the index of SharePoint Online, which asks it to slow down and refuses batches.
  why: How much is accepted depends on the rate of submissions and on the load of SharePoint Online. The crawler also asks for the state of each batch, which counts as requests.
  impact: The crawl is slow, below one document a second in the known case; new content appears late in search results.

fix:
  - step: Crawl fewer items, or large content sources one after the other and outside working hours.
    where: content sources of the cloud search service application
    effect: some content is searchable later
    undo: restore the schedules
  - step: Ask Microsoft Support whether to set the property EnableNoGetStatusFlight of the cloud search service application to 1 (SetProperty, then Update()), and restart OSearch15 on the servers that crawl. The property is not documented; support provided it in the known case, and it made the crawl about twenty times faster.
    where: SharePoint Management Shell
    effect: the crawler no longer asks for the state of its batches
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
revision: 2
status: stable
title: SharePoint Online accepts no more items from the cloud search service application
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
    label: "{count} row(s) report that an item was refused"
  often:
    count: {of: forbidden, gte: 10, within: 10m}

verdicts:
  - id: quota-used-up
    when: often
    symptoms: [refused]
    severity: error
    confidence: likely
    message: "SharePoint Online refuses crawled items again and again (Forbidden, {refused.count} row(s)): most often the tenant's index quota for on-premises items is used up."
  - id: item-refused
    when: refused
    symptoms: [refused]
    severity: warning
    confidence: likely
    message: "SharePoint Online refused crawled items (Forbidden, {refused.count} row(s)); a used-up index quota is possible, and so are missing rights of the farm."

explain:
  what: The cloud search service application sent an item to the index of SharePoint Online, which answered Forbidden.
  why: A tenant may index one million on-premises items for each terabyte of its storage, and 20 million at most. When the quota is used up, new items are refused. The row does not say so, because Forbidden may also mean that the trust between farm and tenant has ended or that the item itself is not accepted. Few refusals are a warning; all items of a crawl point to the quota.
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
revision: 2
status: stable
title: Workflows stop after an update because types are not authorized
category: workflow
tags: [sharepoint, workflow, .net, cve-2018-8421, web.config, authorizedTypes]

select:
  not_authorized:
    event_id: "72fs"
    message|contains|all: ["<CompilerError", "System.CodeDom."]
    capture: "System.CodeDom.{type} "
  with_key: # since the updates of September 2024
    event_id: "72fs"
    message|contains|all: ["<CompilerError", "Microsoft.SharePoint.WorkflowActions."]
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
    message: "Workflows cannot run: type Microsoft.SharePoint.WorkflowActions.{action|(unknown)} is not among the authorized types of the configuration."
  - id: type-not-authorized
    when: stopped
    symptoms: [stopped]
    severity: error
    confidence: likely
    message: "Workflows cannot run: type System.CodeDom.{type|(unknown)} is not among the authorized types of the configuration."

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
  - step: "Add an authorizedType entry for the assembly and the namespace Microsoft.SharePoint.WorkflowActions (TypeName {action|*}, Authorized True), below System.Workflow.ComponentModel.WorkflowCompiler/authorizedTypes; then repeat for the next type that the row names."
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

private let FS1087 = ##"""
schema: fastctl.rule/1
id: FS1087
slug: profile-sync-database-is-mirrored
revision: 1
status: stable
title: User profile synchronization cannot start because its database is mirrored
category: user profiles
tags: [sharepoint 2010, sharepoint 2013, user profile synchronization, sql server, availability group, mirroring]

select:
  broker_refused:
    event_id: "g144"
    message|contains: "database mirroring session"
    capture: "on database {database} on server {server}. Exception"
  setup_failed:
    # 1468 is SQL Server's error number for what a mirrored database does not allow.
    event_id: "9sip"
    message|contains|all: ["SynchronizationDatabase.EnableServiceBroker(", ":1468,"]

check:
  broker:
    count: {of: broker_refused, gte: 1}
    label: "{count} time(s) the Service Broker of the database was refused"
  setup:
    count: {of: setup_failed, gte: 1}
    label: "{count} setup(s) failed with SQL Server error 1468"

verdicts:
  - id: database-mirrored
    when: {any: [broker, setup]}
    symptoms: [broker, setup]
    severity: error
    confidence: likely
    message: "User profile synchronization cannot start: {database|its synchronization database} on {server|SQL Server} is in an availability group or a mirroring session."

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

private let FS1089 = ##"""
schema: fastctl.rule/1
id: FS1089
slug: my-site-creation
revision: 2
status: stable
title: Personal sites cannot be created
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

check:
  failed:
    count: {of: creation_failed, distinct: request, gte: 1}
    label: "{count} personal site(s) could not be created, the first for {user|a user}"
  missing:
    count: {of: missing_method, distinct: request, gte: 1}
    label: "{count} request(s) or job(s) called SPSite.SelfServiceCreateSite, which does not exist"
  configuration:
    count: {of: bad_configuration, distinct: request, gte: 1}
    label: "{count} request(s) or job(s) met a wrong configuration for personal sites"
  managed_path:
    count: {of: no_managed_path, gte: 1}

verdicts:
  - id: missing-method
    when: missing
    symptoms: [failed, missing]
    severity: error
    confidence: likely
    message: "Personal sites cannot be created: their code calls SPSite.SelfServiceCreateSite, which this build does not have; an update that is faulty or was installed only in part is the usual cause ({user|user not logged}, {url|address not logged})."
  - id: managed-path
    when: managed_path
    symptoms: [failed, configuration]
    severity: error
    confidence: likely
    message: "Personal sites cannot be created: the managed path of their address is missing ({user|user not logged}, {url|address not logged})."
  - id: configuration
    when: configuration
    symptoms: [failed, configuration]
    severity: error
    confidence: likely
    message: "Personal sites cannot be created: their configuration is wrong, and the row says what; often a managed path is missing ({user|user not logged}, {url|address not logged})."
  - id: failed
    when: failed
    symptoms: [failed]
    severity: error
    confidence: likely
    message: "The personal site of {user|a user} cannot be created at {url|an address that the row does not say}."

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

private let FS1091 = ##"""
schema: fastctl.rule/1
id: FS1091
slug: secure-store-key-not-changed
revision: 2
status: stable
title: The master key of the Secure Store Service cannot be generated
category: services
tags: [sharepoint, secure store, master key, sharepoint 2016]

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
    label: "{count} attempt(s) failed after the thread had no identity (7fd9, error 1008)"
  build:
    count: {of: affected_build, gte: 1}
    label: "{count} row(s) name a build of June to August 2017"
  failed:
    count: {of: key_failed, gte: 1}
    label: "{count} attempt(s) failed"

verdicts:
  - id: known-bug
    when: {all: [lost_identity, build]}
    symptoms: [lost_identity, build]
    severity: error
    confidence: likely
    message: "The master key cannot be generated because the caller's rights are checked without an identity: a known bug of SharePoint 2016 with the updates of June to August 2017, which the log names."
  - id: no-identity
    when: lost_identity
    symptoms: [lost_identity]
    severity: warning
    confidence: likely
    message: "The master key was not generated: the caller's rights were checked on a thread without an identity. SharePoint 2016 with the updates of June to August 2017 does this; the log does not name the build."
  - id: key-not-changed
    when: failed
    symptoms: [failed]
    severity: warning
    confidence: likely
    message: "The master key of the Secure Store Service was not changed ({exception|exception unknown})."

explain:
  what: Somebody generated a new master key for the Secure Store Service, and the service refused it or failed.
  why: The service checks whether the caller administers it. In SharePoint 2016 with the updates of June to August 2017, that check runs on a thread without an identity (OpenThreadToken fails with 1008) and fails for everybody. The row "LastError=1008" alone says nothing, because many parts of the product write it; so the failure of the rights check must follow it in the same request, and only the build makes it the known bug. Other exceptions mean other causes, such as a caller who is not a farm administrator.
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
    when: [known-bug, no-identity]
  - step: If that is not possible, create the service application and its key in SharePoint 2013 and upgrade the database. Refreshing a key works.
    where: a farm of SharePoint 2013, then this one
    effect: none on other services
    undo: delete the service application
    when: known-bug
  - step: Generate the key as a farm administrator who also administers the service application, and read the exception in the evidence if it fails again.
    where: Central Administration, Secure Store Service
    effect: stored credentials are encrypted again
    undo: restore the database of the Secure Store from a backup, with its old key
    when: [no-identity, key-not-changed]
verify: "Generate the key, then run: fastctl diagnose --rule FS1091 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "The SharePoint Farm, SharePoint 2016 Secure Store master key bug (rows 7fd9 \"Failed to OpenThreadToken, LastError=1008\" and eft9 \"ChangeMasterSecretKey failed\")"
    url: "https://github.com/TheSharePointFarm/thesharepointfarm.github.io/blob/2b88bfe8d8/_posts/2017-08-11-sharepoint-2016-secure-store-master-key-bug.md"

"""##

private let FS1093 = ##"""
schema: fastctl.rule/1
id: FS1093
slug: powerpivot-refresh-times-out
revision: 2
status: stable
title: The scheduled data refresh of PowerPivot times out
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
    message: "Scheduled data refreshes of PowerPivot time out ({refreshes.count} row(s)). A known cause is the limit of 100 seconds for one data source in SharePoint 2016."
  - id: one-refresh-timed-out
    when: refreshes
    symptoms: [refreshes]
    severity: warning
    confidence: likely
    message: "A scheduled data refresh of PowerPivot timed out ({refreshes.count} row(s)); why is not in the log."

explain:
  what: PowerPivot for SharePoint asked for the data of a workbook to be refreshed and got no answer in time.
  why: In SharePoint 2016 the refresh of a single data source is limited to 100 seconds. The row names neither the version nor the limit, nor why the source needs longer. A slow or unreachable source, or a busy Analysis Services, gives the same row. It is recognized only in English.
  impact: The workbook keeps its old data.

fix:
  - step: Run the query of the data source by hand and measure it; near or above 100 seconds, the limit is the cause, below it look at the network and at Analysis Services.
    where: the server that runs PowerPivot for SharePoint
    effect: none
    undo: none needed
  - step: Install the newest update of PowerPivot for SharePoint and of SharePoint 2016, if that is the version; a cumulative update raises the limit.
    where: all servers that run PowerPivot for SharePoint
    effect: the services are restarted
    undo: none; SharePoint updates cannot be removed
  - step: Make the query of the data source faster, or split it into several data sources.
    where: the workbook, or the database behind it
    effect: none on other workbooks
    undo: restore the previous version of the workbook
verify: "Refresh the workbook, then run: fastctl diagnose --rule FS1093 --since TIME LOGS (it exits with 0 when nothing is found)."

references:
  - title: "Microsoft, PowerPivot scheduled data refresh fails (row 99, \"EXCEPTION: System.Net.WebException: The operation has timed out\" in category Data Refresh)"
    url: "https://github.com/MicrosoftDocs/OfficeDocs-Support/blob/36878e0e10/SharePoint/SharePointExperts/administration/powerpivot-scheduled-data-refresh-fails.md"

"""##

private let FS1101 = ##"""
schema: fastctl.rule/1
id: FS1101
slug: records-center-file-plan
revision: 2
status: stable
title: The file plan report of a Records Center fails
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
    message: "The file plan report fails, and its address names no list: most often the site has no record library named Records ({page})."
  - id: report-failed
    when: failed
    symptoms: [failed]
    severity: warning
    confidence: likely
    message: "The file plan report failed {failed.count} time(s); the log does not show whether its address named a list. A missing record library named Records is a known cause."

explain:
  what: >-
    "Generate a file plan report" in a Records Center calls customizereport.aspx without a list, and the page fails with
    a NullReferenceException in CustomizeReport.OnLoad.
  why: >-
    The link looks for a library with the internal name Records in this site. If there is none, the parameter List of
    the address stays empty, and the page does not handle that. The row of the exception does not say so; the address of
    the request does.
  impact: Nobody gets the file plan report of this site; everything else works.

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
title: Custom code without an event ID
category: noise
tags: [sharepoint, noise]

select:
  noise:
    event_id: ["0000", "00000"]
    message|contains|none: "Exception"

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
  why: Its authors chose the level. A row that holds an exception is no noise.

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
