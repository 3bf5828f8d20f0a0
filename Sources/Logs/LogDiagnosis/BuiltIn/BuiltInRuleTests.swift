// swift-format-ignore-file
// Written by Scripts/embed-rules: change the files in Rules, then "make rules".

/// The tests of the built-in rules, as written in their files.
enum BuiltInRuleTests {
    static let files: [RuleFile] = [
        RuleFile(name: "FS0101.tests.yaml", text: FS0101_tests),
        RuleFile(name: "FS0401.tests.yaml", text: FS0401_tests),
        RuleFile(name: "FS0402.tests.yaml", text: FS0402_tests),
        RuleFile(name: "FS0403.tests.yaml", text: FS0403_tests),
        RuleFile(name: "FS0404.tests.yaml", text: FS0404_tests),
        RuleFile(name: "FS1002.tests.yaml", text: FS1002_tests),
        RuleFile(name: "FS1018.tests.yaml", text: FS1018_tests),
        RuleFile(name: "FS1029.tests.yaml", text: FS1029_tests),
        RuleFile(name: "FS1035.tests.yaml", text: FS1035_tests),
        RuleFile(name: "FS1037.tests.yaml", text: FS1037_tests),
        RuleFile(name: "FS1043.tests.yaml", text: FS1043_tests),
        RuleFile(name: "FS1047.tests.yaml", text: FS1047_tests),
        RuleFile(name: "FS1048.tests.yaml", text: FS1048_tests),
        RuleFile(name: "FS1049.tests.yaml", text: FS1049_tests),
        RuleFile(name: "FS1058.tests.yaml", text: FS1058_tests),
        RuleFile(name: "FS1061.tests.yaml", text: FS1061_tests),
        RuleFile(name: "FS1063.tests.yaml", text: FS1063_tests),
        RuleFile(name: "FS1067.tests.yaml", text: FS1067_tests),
        RuleFile(name: "FS1068.tests.yaml", text: FS1068_tests),
        RuleFile(name: "FS1073.tests.yaml", text: FS1073_tests),
        RuleFile(name: "FS1078.tests.yaml", text: FS1078_tests),
        RuleFile(name: "FS1079.tests.yaml", text: FS1079_tests),
        RuleFile(name: "FS1082.tests.yaml", text: FS1082_tests),
        RuleFile(name: "FS1087.tests.yaml", text: FS1087_tests),
        RuleFile(name: "FS1089.tests.yaml", text: FS1089_tests),
        RuleFile(name: "FS1091.tests.yaml", text: FS1091_tests),
        RuleFile(name: "FS1093.tests.yaml", text: FS1093_tests),
        RuleFile(name: "FS1101.tests.yaml", text: FS1101_tests),
        RuleFile(name: "FS9101.tests.yaml", text: FS9101_tests),
        RuleFile(name: "FS9102.tests.yaml", text: FS9102_tests),
        RuleFile(name: "FS9103.tests.yaml", text: FS9103_tests),
        RuleFile(name: "FS9104.tests.yaml", text: FS9104_tests),
        RuleFile(name: "FS9105.tests.yaml", text: FS9105_tests),
        RuleFile(name: "FS9106.tests.yaml", text: FS9106_tests),
        RuleFile(name: "FS9107.tests.yaml", text: FS9107_tests),
        RuleFile(name: "FS9108.tests.yaml", text: FS9108_tests),
    ]
}

private let FS0101_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS0101
tests:
  - name: confirmed, request and failures on two threads
    uls:
      - {t: "10:39:40.52", id: nasq, category: Monitoring, thread: "0x0EB8", msg: "Entering monitored scope (Request (POST:http://portal.contoso.local:80/_vti_bin/owssvr.dll?CS=65001))"}
      - {t: "10:39:40.52", id: xmnv, category: Logging Correlation Data, corr: A, thread: "0x0EB8", msg: "Name=Request (POST:http://portal.contoso.local:80/_vti_bin/owssvr.dll?CS=65001)"}
      - {t: "10:39:40.60", id: af74, corr: A, thread: "0x173C", msg: "HTTP request URL: /_vti_bin/owssvr.dll?CS=65001"}
      - {t: "10:39:40.69", id: b9y3, level: High, corr: A, thread: "0x173C", msg: 'Failed to open the file ''C:\Program Files\Common Files\Microsoft Shared\Web Server Extensions\14\Resources\wss.en-US.resx''.'}
      - {t: "10:39:40.69", id: b9y4, level: High, corr: A, thread: "0x173C", msg: '#20015: Cannot open "": no such file or folder.'}
      - {t: "10:39:40.69", id: b9y4, level: High, corr: A, thread: "0x173C", msg: '(#2: Cannot open "": no such file or folder.)'}
      - {t: "10:39:40.69", id: b9y9, level: High, corr: A, thread: "0x173C", msg: 'Failed to read resource file "C:\Program Files\Common Files\Microsoft Shared\Web Server Extensions\14\Resources\wss.en-US.resx" from feature id "(null)".'}
      - {t: "10:39:40.69", id: 8e26, corr: A, thread: "0x173C", msg: "Failed to open the language resource keyfile wss."}
      - {t: "10:39:40.69", id: b9y3, level: High, corr: A, thread: "0x173C", msg: 'Failed to open the file ''C:\Program Files\Common Files\Microsoft Shared\Web Server Extensions\14\Resources\wss.resx''.'}
      - {t: "10:39:40.69", id: b9y9, level: High, corr: A, thread: "0x173C", msg: 'Failed to read resource file "C:\Program Files\Common Files\Microsoft Shared\Web Server Extensions\14\Resources\wss.resx" from feature id "(null)".'}
      - {t: "10:39:40.69", id: 8e26, corr: A, thread: "0x173C", msg: "Failed to open the language resource keyfile wss."}
      - {t: "10:39:40.69", id: 8l3c, corr: A, thread: "0x173C", msg: "Localized resource for token 'multipages_direction_dir_value%>' could not be found for file with path: \"(unavailable)\"."}
      - {t: "10:39:40.73", id: b4ly, category: Monitoring, corr: A, thread: "0x0EB8", msg: "Leaving Monitored Scope (Request (POST:http://portal.contoso.local:80/_vti_bin/owssvr.dll?CS=65001)). Execution Time=206.33"}
    web_config: '<configuration><system.web><trace enabled="true"/></system.web></configuration>'
    expect:
      - {verdict: confirmed, severity: error, confidence: certain, symptoms: {owssvr: 1}}

  - name: each row that names the resource file is enough, with other requests between
    each: {tag: [b9y3, b9y9]}
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://portal.contoso.local:80/sites/hr/_vti_bin/owssvr.dll?CS=65001)"}
      - {t: "10:00:00.01", id: xmnv, category: Logging Correlation Data, corr: B, msg: "Name=Request (GET:http://portal.contoso.local:80/default.aspx)"}
      - {t: "10:00:00.02", id: "<tag>", level: High, corr: A, msg: 'Failed, "C:\Programme\Gemeinsame Dateien\Microsoft Shared\Web Server Extensions\15\Resources\wss.de-DE.resx"'}
      - {t: "10:00:00.03", id: b4ly, category: Monitoring, corr: B, msg: "Leaving Monitored Scope (Request (GET:http://portal.contoso.local:80/default.aspx)). Execution Time=31"}
      - {t: "10:00:00.04", id: 8e26, corr: A, msg: "Failed to open the language resource keyfile wss."}
      - {t: "10:00:00.05", id: b4ly, category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://portal.contoso.local:80/sites/hr/_vti_bin/owssvr.dll?CS=65001)). Execution Time=41"}
    expect:
      - {verdict: log-only, severity: error, confidence: likely, symptoms: {owssvr: 1}}

  - name: a paste with blanks instead of tabs, without correlations, whose back-slashes are lost
    paste: |
      04/12/2012 09:14:02.10     w3wp.exe (0x0F3C)                           0x11B0    SharePoint Foundation             Logging Correlation Data          xmnv    Medium      Name=Request (POST:http://intranet.fabrikam.local:80/_vti_bin/owssvr.dll?CS=65001)
      04/12/2012 09:14:02.21     w3wp.exe (0x0F3C)                           0x11B0    SharePoint Foundation             General                           b9y3    High        Failed to open the file 'C:Program FilesCommon FilesMicrosoft SharedWeb Server Extensions14Resourceswss.en-US.resx'.
      04/12/2012 09:14:02.21     w3wp.exe (0x0F3C)                           0x11B0    SharePoint Foundation             General                           8e26    Medium      Failed to open the language resource keyfile wss.
    expect:
      - {verdict: log-only, symptoms: {owssvr: 1}}

  - name: contradicted when tracing is off in the web.config that was given
    each: {config: ['<system.web><trace enabled="false"/></system.web>', '<system.web/>', '<system.web><trace pageOutput="true" localOnly="false"/></system.web>']}
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://portal.contoso.local:80/_vti_bin/owssvr.dll?CS=65001)"}
      - {t: "10:00:00.02", id: b9y3, level: High, corr: A, msg: 'Failed to open the file ''C:\Program Files\Common Files\Microsoft Shared\Web Server Extensions\14\Resources\wss.resx''.'}
      - {t: "10:00:00.04", id: 8e26, corr: A, msg: "Failed to open the language resource keyfile wss."}
      - {t: "10:00:00.05", id: b4ly, category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://portal.contoso.local:80/_vti_bin/owssvr.dll?CS=65001)). Execution Time=41"}
    web_config: '<configuration><config></configuration>'
    expect:
      - {verdict: contradicted, severity: warning, confidence: possible, symptoms: {owssvr: 1}}

  - name: contradicted for a page
    uls:
      - {t: "10:00:00.00", id: tkau, level: Unexpected, category: Runtime, corr: A, msg: "System.Web.HttpException: Multiple controls with the same ID 'ctl00$m$g1' were found. Trace requires that controls have unique IDs."}
    web_config: '<configuration><system.web><trace enabled="false"/></system.web></configuration>'
    expect:
      - {verdict: contradicted, symptoms: {thrown: 1}}

  - name: owssvr.dll and a duplicate control have one cause and are one finding
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://portal.contoso.local:80/_vti_bin/owssvr.dll?CS=65001)"}
      - {t: "10:00:00.02", id: b9y9, level: High, corr: A, msg: 'Failed to read resource file "C:\Program Files\Common Files\Microsoft Shared\Web Server Extensions\14\Resources\wss.resx" from feature id "(null)".'}
      - {t: "10:00:00.03", id: 8e26, corr: A, msg: "Failed to open the language resource keyfile wss."}
      - {t: "10:00:00.05", id: b4ly, category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://portal.contoso.local:80/_vti_bin/owssvr.dll?CS=65001)). Execution Time=41"}
      - {t: "10:00:09.00", id: tkau, level: Unexpected, category: Runtime, corr: B, msg: "System.Web.HttpException: Multiple controls with the same ID 'ctl00$m$g1' were found. Trace requires that controls have unique IDs."}
    web_config: '<configuration><system.web><trace enabled="true"/></system.web></configuration>'
    expect:
      - {verdict: confirmed, symptoms: {owssvr: 1, thrown: 1}, captures: {control_id: "ctl00$m$g1"}}

  - name: both symptoms in the log alone
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://portal.contoso.local:80/_vti_bin/owssvr.dll?CS=65001)"}
      - {t: "10:00:00.02", id: b9y9, level: High, corr: A, msg: 'Failed to read resource file "C:\Program Files\Common Files\Microsoft Shared\Web Server Extensions\14\Resources\wss.resx" from feature id "(null)".'}
      - {t: "10:00:00.03", id: 8e26, corr: A, msg: "Failed to open the language resource keyfile wss."}
      - {t: "10:00:00.05", id: b4ly, category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://portal.contoso.local:80/_vti_bin/owssvr.dll?CS=65001)). Execution Time=41"}
      - {t: "10:00:09.00", id: tkau, level: Unexpected, category: Runtime, corr: B, msg: "System.Web.HttpException: Multiple controls with the same ID 'ctl00$m$g1' were found. Trace requires that controls have unique IDs."}
    expect:
      - {verdict: log-only, symptoms: {owssvr: 1, thrown: 1}}

  - name: a long stack, split by another thread's row, between the rows of its request
    uls:
      - {t: "13:10:36.10", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (GET:http://portal.contoso.local:80/search/results.aspx?k=budget)"}
      - {t: "13:10:36.16", id: tkau, level: Unexpected, category: Runtime, corr: A, split: 60, msg: "System.Web.HttpException: Multiple controls with the same ID 'ctl00$g$hdn' were found. Trace requires that controls have unique IDs.    at System.Web.TraceContext.AddNewControl(String id, String parentId, String type, Int32 viewStateSize, Int32 controlStateSize)     at System.Web.UI.Control.BuildProfileTree(String parentId, Boolean calcViewState)     at System.Web.UI.Page.BuildPageProfileTree(Boolean enableViewState)"}
      - {t: "13:10:36.23", id: b4ly, category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (GET:http://portal.contoso.local:80/search/results.aspx?k=budget)). Execution Time=145.0229"}
    web_config: '<configuration><system.web><trace enabled="true" pageOutput="false"/></system.web></configuration>'
    expect:
      - {verdict: confirmed, symptoms: {thrown: 1}, captures: {control_id: "ctl00$g$hdn"}}

  - name: 'a translated message: the stack frame is enough'
    uls:
      - {t: "09:00:00.00", id: tkau, level: Unexpected, category: Runtime, corr: A, msg: "System.Web.HttpException: Es wurden mehrere Steuerelemente mit derselben ID gefunden.    bei System.Web.TraceContext.AddNewControl(String id, String parentId, String type, Int32 viewStateSize, Int32 controlStateSize)"}
    web_config: '<configuration><system.web><trace enabled="True"/></system.web></configuration>'
    expect:
      - {verdict: confirmed, symptoms: {thrown: 1}}

  - name: the tags that report exceptions below Monitorable, with the sentence
    each: {tag: [8nca, ajlz0]}
    uls:
      - {t: "09:00:00.00", id: "<tag>", level: Medium, corr: A, msg: "Application error when access /search/results.aspx, Error=Multiple controls with the same ID 'ctl00$g$hdn' were found. Trace requires that controls have unique IDs."}
    expect:
      - {verdict: log-only, symptoms: {thrown: 1}, captures: {control_id: "ctl00$g$hdn"}}

  - name: the tags that report exceptions below Monitorable, translated
    each: {tag: [8nca, ajlz0]}
    uls:
      - {t: "09:00:00.00", id: "<tag>", level: Medium, corr: A, msg: "Application error when access /search/results.aspx, Error=Es wurden mehrere Steuerelemente gefunden.   bei System.Web.TraceContext.AddNewControl(String id, String parentId, String type, Int32 viewStateSize, Int32 controlStateSize)"}
    expect:
      - {verdict: log-only, symptoms: {thrown: 1}}

  - name: each level from Monitorable on
    each: {level: [Critical, Unexpected, Exception, Monitorable]}
    uls:
      - {t: "09:00:00.00", id: zzzz, level: "<level>", corr: A, msg: "Multiple controls with the same ID 'x' were found. Trace requires that controls have unique IDs."}
    expect:
      - {verdict: log-only, symptoms: {thrown: 1}}

  - name: a bare message as somebody pasted it
    paste: |
      [HttpException (0x80004005): Multiple controls with the same ID 'ctl00$cph$js' were found. Trace requires that controls have unique IDs.]
    expect:
      - {verdict: log-only, symptoms: {thrown: 1}, captures: {control_id: "ctl00$cph$js"}}

  - name: two rows of one request count once, and the generic rule says nothing of them
    with: [FS1002]
    uls:
      - {t: "09:00:00.00", id: 8nca, corr: A, msg: "Application error when access /a.aspx, Error=Multiple controls with the same ID 'x' were found. Trace requires that controls have unique IDs."}
      - {t: "09:00:00.01", id: tkau, level: Unexpected, category: Runtime, corr: A, msg: "System.Web.HttpException: Multiple controls with the same ID 'x' were found. Trace requires that controls have unique IDs."}
      - {t: "09:00:07.00", id: tkau, level: Unexpected, category: Runtime, corr: B, msg: "System.Web.HttpException: Multiple controls with the same ID 'x' were found. Trace requires that controls have unique IDs."}
    web_config: '<configuration><system.web><trace enabled="true"/></system.web></configuration>'
    expect:
      - {verdict: confirmed, symptoms: {thrown: 2}}

  - name: the web.config of another server says nothing of the requests that failed
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, server: WFE2, msg: "Name=Request (POST:http://portal.contoso.local:80/_vti_bin/owssvr.dll?CS=65001)"}
      - {t: "10:00:00.02", id: b9y3, level: High, corr: A, server: WFE2, msg: 'Failed to open the file ''C:\Program Files\Common Files\Microsoft Shared\Web Server Extensions\14\Resources\wss.resx''.'}
      - {t: "10:00:00.04", id: 8e26, corr: A, server: WFE2, msg: "Failed to open the language resource keyfile wss."}
      - {t: "10:00:00.05", id: b4ly, category: Monitoring, corr: A, server: WFE2, msg: "Leaving Monitored Scope (Request (POST:http://portal.contoso.local:80/_vti_bin/owssvr.dll?CS=65001)). Execution Time=41"}
    web_config:
      - {server: WFE1, xml: '<configuration><system.web><trace enabled="true"/></system.web></configuration>'}
      - {server: WFE2, xml: '<configuration><system.web><trace enabled="false"/></system.web></configuration>'}
    expect:
      - {verdict: latent, severity: warning, confidence: certain}
      - {verdict: contradicted, severity: warning, confidence: possible, symptoms: {owssvr: 1}}

  - name: the web.config of the server whose requests failed, whatever the case of its name
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, server: WFE2, msg: "Name=Request (POST:http://portal.contoso.local:80/_vti_bin/owssvr.dll?CS=65001)"}
      - {t: "10:00:00.02", id: b9y3, level: High, corr: A, server: WFE2, msg: 'Failed to open the file ''C:\Program Files\Common Files\Microsoft Shared\Web Server Extensions\14\Resources\wss.resx''.'}
      - {t: "10:00:00.04", id: 8e26, corr: A, server: WFE2, msg: "Failed to open the language resource keyfile wss."}
      - {t: "10:00:00.05", id: b4ly, category: Monitoring, corr: A, server: WFE2, msg: "Leaving Monitored Scope (Request (POST:http://portal.contoso.local:80/_vti_bin/owssvr.dll?CS=65001)). Execution Time=41"}
    web_config:
      - {server: wfe2, xml: '<configuration><system.web><trace enabled="true"/></system.web></configuration>'}
      - {server: WFE1, xml: '<configuration><system.web><trace enabled="false"/></system.web></configuration>'}
    expect:
      - {verdict: confirmed, severity: error, confidence: certain, symptoms: {owssvr: 1}}

  - name: only the web.config of another server was given
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, server: WFE2, msg: "Name=Request (POST:http://portal.contoso.local:80/_vti_bin/owssvr.dll?CS=65001)"}
      - {t: "10:00:00.02", id: b9y3, level: High, corr: A, server: WFE2, msg: 'Failed to open the file ''C:\Program Files\Common Files\Microsoft Shared\Web Server Extensions\14\Resources\wss.resx''.'}
      - {t: "10:00:00.04", id: 8e26, corr: A, server: WFE2, msg: "Failed to open the language resource keyfile wss."}
      - {t: "10:00:00.05", id: b4ly, category: Monitoring, corr: A, server: WFE2, msg: "Leaving Monitored Scope (Request (POST:http://portal.contoso.local:80/_vti_bin/owssvr.dll?CS=65001)). Execution Time=41"}
    web_config:
      - {server: WFE1, xml: '<configuration><system.web><trace enabled="true"/></system.web></configuration>'}
    expect:
      - {verdict: log-only, severity: error, confidence: likely, symptoms: {owssvr: 1}}
      - {verdict: latent, severity: warning, confidence: certain}

  - name: a web.config without a server counts for each
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, server: WFE2, msg: "Name=Request (POST:http://portal.contoso.local:80/_vti_bin/owssvr.dll?CS=65001)"}
      - {t: "10:00:00.02", id: b9y3, level: High, corr: A, server: WFE2, msg: 'Failed to open the file ''C:\Program Files\Common Files\Microsoft Shared\Web Server Extensions\14\Resources\wss.resx''.'}
      - {t: "10:00:00.04", id: 8e26, corr: A, server: WFE2, msg: "Failed to open the language resource keyfile wss."}
      - {t: "10:00:00.05", id: b4ly, category: Monitoring, corr: A, server: WFE2, msg: "Leaving Monitored Scope (Request (POST:http://portal.contoso.local:80/_vti_bin/owssvr.dll?CS=65001)). Execution Time=41"}
    web_config:
      - {server: WFE1, xml: '<configuration/>'}
      - {xml: '<configuration><system.web><trace enabled="true"/></system.web></configuration>'}
    expect:
      - {verdict: confirmed, symptoms: {owssvr: 1}}
      - {verdict: latent}

  - name: tracing in a location that has nothing to do with the request
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://portal.contoso.local:80/_vti_bin/owssvr.dll?CS=65001)"}
      - {t: "10:00:00.02", id: b9y3, level: High, corr: A, msg: 'Failed to open the file ''C:\Program Files\Common Files\Microsoft Shared\Web Server Extensions\14\Resources\wss.resx''.'}
      - {t: "10:00:00.04", id: 8e26, corr: A, msg: "Failed to open the language resource keyfile wss."}
      - {t: "10:00:00.05", id: b4ly, category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://portal.contoso.local:80/_vti_bin/owssvr.dll?CS=65001)). Execution Time=41"}
    web_config: '<configuration><location path="_layouts/15/foo"><system.web><trace enabled="true"/></system.web></location></configuration>'
    expect:
      - {verdict: in-location, severity: error, confidence: possible, symptoms: {owssvr: 1}}

  - name: tracing in the location of the request
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://portal.contoso.local:80/_vti_bin/owssvr.dll?CS=65001)"}
      - {t: "10:00:00.02", id: b9y3, level: High, corr: A, msg: 'Failed to open the file ''C:\Program Files\Common Files\Microsoft Shared\Web Server Extensions\14\Resources\wss.resx''.'}
      - {t: "10:00:00.04", id: 8e26, corr: A, msg: "Failed to open the language resource keyfile wss."}
      - {t: "10:00:00.05", id: b4ly, category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://portal.contoso.local:80/_vti_bin/owssvr.dll?CS=65001)). Execution Time=41"}
    web_config: '<configuration><location path="_vti_bin"><system.web><trace enabled="true"/></system.web></location></configuration>'
    expect:
      - {verdict: confirmed, severity: error, confidence: certain, symptoms: {owssvr: 1}}

  - name: contradicted when tracing is off in the location of the request
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://portal.contoso.local:80/_vti_bin/owssvr.dll?CS=65001)"}
      - {t: "10:00:00.02", id: b9y3, level: High, corr: A, msg: 'Failed to open the file ''C:\Program Files\Common Files\Microsoft Shared\Web Server Extensions\14\Resources\wss.resx''.'}
      - {t: "10:00:00.04", id: 8e26, corr: A, msg: "Failed to open the language resource keyfile wss."}
      - {t: "10:00:00.05", id: b4ly, category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://portal.contoso.local:80/_vti_bin/owssvr.dll?CS=65001)). Execution Time=41"}
    web_config: '<configuration><location path="_vti_bin"><system.web><trace enabled="false"/></system.web></location></configuration>'
    expect:
      - {verdict: contradicted, severity: warning, confidence: possible, symptoms: {owssvr: 1}}

  - name: tracing in a location of services, and a page that failed
    uls:
      - {t: "09:00:00.00", id: tkau, level: Unexpected, category: Runtime, corr: A, msg: "System.Web.HttpException: Multiple controls with the same ID 'x' were found. Trace requires that controls have unique IDs."}
    web_config: '<configuration><location path="_vti_bin"><system.web><trace enabled="true"/></system.web></location></configuration>'
    expect:
      - {verdict: in-location, symptoms: {thrown: 1}}

  - name: the web.config of the only server
    uls:
      - {t: "09:00:00.00", id: tkau, level: Unexpected, category: Runtime, corr: A, server: WFE1, msg: "System.Web.HttpException: Multiple controls with the same ID 'x' were found. Trace requires that controls have unique IDs."}
    web_config:
      - {server: WFE1, xml: '<configuration><system.web><trace enabled="true"/></system.web></configuration>'}
    expect:
      - {verdict: confirmed, symptoms: {thrown: 1}}

  - name: tracing in a location that stands for the whole site
    each: {path: ["", "."]}
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://portal.contoso.local:80/_vti_bin/owssvr.dll?CS=65001)"}
      - {t: "10:00:00.02", id: b9y3, level: High, corr: A, msg: 'Failed to open the file ''C:\Program Files\Common Files\Microsoft Shared\Web Server Extensions\14\Resources\wss.resx''.'}
      - {t: "10:00:00.04", id: 8e26, corr: A, msg: "Failed to open the language resource keyfile wss."}
      - {t: "10:00:00.05", id: b4ly, category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://portal.contoso.local:80/_vti_bin/owssvr.dll?CS=65001)). Execution Time=41"}
    web_config: '<configuration><location path="<path>"><system.web><trace enabled="true"/></system.web></location></configuration>'
    expect:
      - {verdict: confirmed, symptoms: {owssvr: 1}}

  - name: log-only when the section is encrypted
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://portal.contoso.local:80/_vti_bin/owssvr.dll?CS=65001)"}
      - {t: "10:00:00.02", id: b9y3, level: High, corr: A, msg: 'Failed to open the file ''C:\Program Files\Common Files\Microsoft Shared\Web Server Extensions\14\Resources\wss.resx''.'}
      - {t: "10:00:00.04", id: 8e26, corr: A, msg: "Failed to open the language resource keyfile wss."}
      - {t: "10:00:00.05", id: b4ly, category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://portal.contoso.local:80/_vti_bin/owssvr.dll?CS=65001)). Execution Time=41"}
    web_config: '<configuration><system.web><trace configProtectionProvider="RsaProtectedConfigurationProvider"><EncryptedData/></trace></system.web></configuration>'
    expect:
      - {verdict: log-only, symptoms: {owssvr: 1}}

  - name: tracing on inside of a location of a file with a namespace
    uls:
      - {t: "09:00:00.00", id: tkau, level: Unexpected, category: Runtime, corr: A, msg: "System.Web.HttpException: Multiple controls with the same ID 'x' were found. Trace requires that controls have unique IDs."}
    web_config: '<configuration xmlns="http://schemas.microsoft.com/.NetConfiguration/v2.0"><location path="_layouts"><system.web><trace enabled="true"/></system.web></location></configuration>'
    expect:
      - {verdict: in-location, symptoms: {thrown: 1}}

  - name: a partial postback is broken and trace output is appended to pages
    uls:
      - {t: "09:00:00.00", id: zzzz, level: Monitorable, corr: A, msg: "Script error: Sys.WebForms.PageRequestManagerParserErrorException: The message received from the server could not be parsed."}
    web_config: '<configuration><location path="_layouts"><system.web><trace enabled="true" pageOutput="true"/></system.web></location></configuration>'
    expect:
      - {verdict: ajax, severity: error, confidence: likely, symptoms: {ajax: 1}}

  - name: a request that tracing breaks says more than a broken postback
    uls:
      - {t: "09:00:00.00", id: tkau, level: Unexpected, category: Runtime, corr: A, msg: "System.Web.HttpException: Multiple controls with the same ID 'x' were found. Trace requires that controls have unique IDs."}
      - {t: "09:00:00.00", id: zzzz, level: Monitorable, corr: B, msg: "Script error: Sys.WebForms.PageRequestManagerParserErrorException: The message received from the server could not be parsed."}
    web_config: '<configuration><system.web><trace enabled="true" pageOutput="true"/></system.web></configuration>'
    expect:
      - {verdict: confirmed, symptoms: {thrown: 1}, undecided: []}

  - name: without a web.config nothing that needs one is decided
    uls:
      - {t: "09:00:00.00", id: tkau, level: Unexpected, category: Runtime, corr: A, msg: "System.Web.HttpException: Multiple controls with the same ID 'x' were found. Trace requires that controls have unique IDs."}
      - {t: "09:00:00.00", id: zzzz, level: Monitorable, corr: B, msg: "Script error: Sys.WebForms.PageRequestManagerParserErrorException: The message received from the server could not be parsed."}
    expect:
      - {verdict: log-only, symptoms: {thrown: 1}, undecided: [confirmed, ajax, in-location]}

  - name: NEAR MISS a broken postback without trace output has another cause
    uls:
      - {t: "09:00:00.00", id: zzzz, level: Monitorable, corr: A, msg: "Script error: Sys.WebForms.PageRequestManagerParserErrorException: The message received from the server could not be parsed."}
    web_config: '<configuration><system.web><trace enabled="true"/></system.web></configuration>'
    expect:
      - {verdict: latent, severity: warning, confidence: certain}

  - name: NEAR MISS trace output, but another exception of the browser
    uls:
      - {t: "09:00:00.00", id: zzzz, level: Monitorable, corr: A, msg: "Script error: Sys.WebForms.PageRequestManagerServerErrorException: The query could not be parsed."}
    web_config: '<configuration><system.web><trace enabled="true" pageOutput="true"/></system.web></configuration>'
    expect:
      - {verdict: latent}

  - name: NEAR MISS somebody searched for the exception of the browser
    uls:
      - {t: "09:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (GET:http://portal.contoso.local:80/search/results.aspx?k=Sys.WebForms.PageRequestManagerParserErrorException)"}
      - {t: "09:00:00.09", id: b4ly, level: High, category: Monitoring, corr: A, msg: "Leaving Monitored Scope: (Request (GET:http://portal.contoso.local:80/search/results.aspx?k=Sys.WebForms.PageRequestManagerParserErrorException)) Execution Time=90.1; CPU Milliseconds=3; SQL Query Count=1; Parent=None"}
    web_config: '<configuration><system.web><trace enabled="true" pageOutput="true"/></system.web></configuration>'
    expect:
      - {verdict: latent}

  - name: NEAR MISS attributes of two trace elements are not put together
    uls:
      - {t: "09:00:00.00", id: zzzz, level: Monitorable, corr: A, msg: "Script error: Sys.WebForms.PageRequestManagerParserErrorException: The message received from the server could not be parsed."}
    web_config: '<configuration><system.web><trace enabled="true"/></system.web><location path="a"><system.web><trace enabled="false" pageOutput="true" localOnly="false"/></system.web></location></configuration>'
    expect:
      - {verdict: latent}

  - name: NEAR MISS pageOutput and localOnly are set, but tracing is off
    each: {config: ['enabled="false" ', ""]}
    uls:
      - {t: "09:00:00.00", id: zzzz, level: Monitorable, corr: A, msg: "Script error: Sys.WebForms.PageRequestManagerParserErrorException: The message received from the server could not be parsed."}
    web_config: '<configuration><system.web><trace <config>pageOutput="true" localOnly="false"/></system.web></configuration>'
    expect: []

  - name: NEAR MISS the same rows in the request of a page that links to owssvr.dll
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (GET:http://portal.contoso.local:80/viewlsts.aspx?Source=/_vti_bin/owssvr.dll)"}
      - {t: "10:00:00.02", id: b9y3, level: High, corr: A, msg: 'Failed to open the file ''C:\Program Files\Common Files\Microsoft Shared\Web Server Extensions\14\Resources\wss.resx''.'}
      - {t: "10:00:00.04", id: 8e26, corr: A, msg: "Failed to open the language resource keyfile wss."}
      - {t: "10:00:00.05", id: b4ly, category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (GET:http://portal.contoso.local:80/viewlsts.aspx?Source=/_vti_bin/owssvr.dll)). Execution Time=41"}
    expect: []

  - name: NEAR MISS another row that names the request
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (GET:http://portal.contoso.local:80/default.aspx)"}
      - {t: "10:00:00.01", id: zzzz, corr: A, msg: "Name=Request (POST:http://portal.contoso.local:80/_vti_bin/owssvr.dll)"}
      - {t: "10:00:00.02", id: b9y3, level: High, corr: A, msg: 'Failed to open the file ''C:\Program Files\Common Files\Microsoft Shared\Web Server Extensions\14\Resources\wss.resx''.'}
      - {t: "10:00:00.04", id: 8e26, corr: A, msg: "Failed to open the language resource keyfile wss."}
      - {t: "10:00:00.05", id: b4ly, category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (GET:http://portal.contoso.local:80/default.aspx)). Execution Time=41"}
    expect: []

  - name: NEAR MISS the resource file of a feature
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://portal.contoso.local:80/_vti_bin/owssvr.dll?CS=65001)"}
      - {t: "10:00:00.02", id: b9y3, level: High, corr: A, msg: 'Failed to open the file ''C:\Program Files\Common Files\Microsoft Shared\Web Server Extensions\14\TEMPLATE\FEATURES\ContosoBrand\Resources\wssBrand.en-US.resx''.'}
      - {t: "10:00:00.02", id: b9y9, level: High, corr: A, msg: 'Failed to read resource file "C:\Program Files\Common Files\Microsoft Shared\Web Server Extensions\14\TEMPLATE\FEATURES\ContosoBrand\Resources\wssBrand.en-US.resx" from feature id "6d2f1c90-3b7e-4a55-9a41-0c8f5be7d213".'}
      - {t: "10:00:00.04", id: 8e26, corr: A, msg: "Failed to open the language resource keyfile wss."}
      - {t: "10:00:00.05", id: b4ly, category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://portal.contoso.local:80/_vti_bin/owssvr.dll?CS=65001)). Execution Time=41"}
    expect: []

  - name: NEAR MISS another row that names the resource file
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://portal.contoso.local:80/_vti_bin/owssvr.dll?CS=65001)"}
      - {t: "10:00:00.02", id: zzzz, level: High, corr: A, msg: 'Copied C:\Program Files\Common Files\Microsoft Shared\Web Server Extensions\14\Resources\wss.resx'}
      - {t: "10:00:00.04", id: 8e26, corr: A, msg: "Failed to open the language resource keyfile wss."}
      - {t: "10:00:00.05", id: b4ly, category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://portal.contoso.local:80/_vti_bin/owssvr.dll?CS=65001)). Execution Time=41"}
    expect: []

  - name: NEAR MISS the file is not opened, and nothing depends on it
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://portal.contoso.local:80/_vti_bin/owssvr.dll?CS=65001)"}
      - {t: "10:00:00.02", id: b9y3, level: High, corr: A, msg: 'Failed to open the file ''C:\Program Files\Common Files\Microsoft Shared\Web Server Extensions\14\Resources\wss.resx''.'}
      - {t: "10:00:00.04", id: zzzz, corr: A, msg: "Failed to open the language resource keyfile wss."}
      - {t: "10:00:00.04", id: 8e26, corr: A, msg: "Failed to open the language resource keyfile ContosoBrand."}
      - {t: "10:00:00.05", id: b4ly, category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://portal.contoso.local:80/_vti_bin/owssvr.dll?CS=65001)). Execution Time=41"}
    expect: []

  - name: NEAR MISS the key is missing, but the files were opened
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://portal.contoso.local:80/_vti_bin/owssvr.dll?CS=65001)"}
      - {t: "10:00:00.04", id: 8e26, corr: A, msg: "Failed to open the language resource keyfile wss."}
      - {t: "10:00:00.05", id: b4ly, category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://portal.contoso.local:80/_vti_bin/owssvr.dll?CS=65001)). Execution Time=41"}
    expect: []

  - name: NEAR MISS rows of two requests
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, thread: "0x0A10", msg: "Name=Request (POST:http://portal.contoso.local:80/_vti_bin/owssvr.dll?CS=65001)"}
      - {t: "10:00:00.01", id: xmnv, category: Logging Correlation Data, corr: B, thread: "0x0B20", msg: "Name=Request (POST:http://portal.contoso.local:80/_vti_bin/owssvr.dll?CS=65001)"}
      - {t: "10:00:00.02", id: b9y3, level: High, corr: A, thread: "0x0A10", msg: 'Failed to open the file ''C:\Program Files\Common Files\Microsoft Shared\Web Server Extensions\14\Resources\wss.resx''.'}
      - {t: "10:00:00.04", id: 8e26, corr: B, thread: "0x0B20", msg: "Failed to open the language resource keyfile wss."}
      - {t: "10:00:00.05", id: b4ly, category: Monitoring, corr: A, thread: "0x0A10", msg: "Leaving Monitored Scope (Request (POST:http://portal.contoso.local:80/_vti_bin/owssvr.dll?CS=65001)). Execution Time=41"}
      - {t: "10:00:00.06", id: b4ly, category: Monitoring, corr: B, thread: "0x0B20", msg: "Leaving Monitored Scope (Request (POST:http://portal.contoso.local:80/_vti_bin/owssvr.dll?CS=65001)). Execution Time=41"}
    expect: []

  - name: NEAR MISS the failures come in another order
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://portal.contoso.local:80/_vti_bin/owssvr.dll?CS=65001)"}
      - {t: "10:00:00.02", id: 8e26, corr: A, msg: "Failed to open the language resource keyfile wss."}
      - {t: "10:00:00.04", id: b9y3, level: High, corr: A, msg: 'Failed to open the file ''C:\Program Files\Common Files\Microsoft Shared\Web Server Extensions\14\Resources\wss.resx''.'}
      - {t: "10:00:00.05", id: b4ly, category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://portal.contoso.local:80/_vti_bin/owssvr.dll?CS=65001)). Execution Time=41"}
    expect: []

  - name: NEAR MISS the failures are too far apart
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://portal.contoso.local:80/_vti_bin/owssvr.dll?CS=65001)"}
      - {t: "10:00:00.02", id: b9y3, level: High, corr: A, msg: 'Failed to open the file ''C:\Program Files\Common Files\Microsoft Shared\Web Server Extensions\14\Resources\wss.resx''.'}
      - {t: "10:01:30.00", id: 8e26, corr: A, msg: "Failed to open the language resource keyfile wss."}
      - {t: "10:01:30.05", id: b4ly, category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://portal.contoso.local:80/_vti_bin/owssvr.dll?CS=65001)). Execution Time=90050"}
    expect: []

  - name: NEAR MISS the sister message of FindControl
    uls:
      - {t: "09:00:00.00", id: 8nca, corr: A, msg: "Application error when access /a.aspx, Error=Multiple controls with the same ID 'gfFilter' were found. FindControl requires that controls have unique IDs."}
      - {t: "09:00:00.00", id: tkau, level: Unexpected, category: Runtime, corr: A, msg: "System.Web.HttpException: Multiple controls with the same ID 'gfFilter' were found. FindControl requires that controls have unique IDs.    at System.Web.UI.Control.FillNamedControlsTable(Control namingContainer, ControlCollection controls)"}
    expect: []

  - name: NEAR MISS somebody searched for the sentence
    uls:
      - {t: "09:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (GET:http://portal.contoso.local:80/search/results.aspx?k=Trace requires that controls have unique IDs)"}
      - {t: "09:00:00.09", id: b4ly, level: High, category: Monitoring, corr: A, msg: "Leaving Monitored Scope: (Request (GET:http://portal.contoso.local:80/search/results.aspx?k=Trace requires that controls have unique IDs)) Execution Time=90.1; CPU Milliseconds=3; SQL Query Count=1; Parent=None"}
    expect: []

  - name: PASS an owssvr.dll request without trouble, tracing off
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://portal.contoso.local:80/_vti_bin/owssvr.dll?CS=65001)"}
      - {t: "10:00:00.05", id: b4ly, category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://portal.contoso.local:80/_vti_bin/owssvr.dll?CS=65001)). Execution Time=41"}
    web_config: '<configuration><system.web><trace enabled="false"/></system.web></configuration>'
    expect: []

  - name: latent when tracing is on and the log is clean
    uls:
      - {t: "09:00:00.00", id: b4ly, category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (GET:http://portal.contoso.local:80/)). Execution Time=9"}
    web_config: '<configuration><system.web><trace enabled="true"/></system.web></configuration>'
    expect:
      - {verdict: latent, severity: warning, confidence: certain, undecided: []}

  - name: latent for remote users, in a location, without any log
    web_config: '<configuration><location path="_layouts"><system.web><trace enabled="true" localOnly="false"/></system.web></location></configuration>'
    expect:
      - {verdict: latent-remote, severity: warning, confidence: certain, undecided: [in-location]}

  - name: latent, undecided whether it broke the request that the log cuts
    uls:
      - {t: "10:00:00.02", id: b9y3, level: High, corr: A, msg: 'Failed to open the file ''C:\Program Files\Common Files\Microsoft Shared\Web Server Extensions\14\Resources\wss.resx''.'}
      - {t: "10:00:00.04", id: 8e26, corr: A, msg: "Failed to open the language resource keyfile wss."}
      - {t: "10:00:00.05", id: b4ly, category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://portal.contoso.local:80/_vti_bin/owssvr.dll?CS=65001)). Execution Time=41"}
    web_config: '<configuration><system.web><trace enabled="true"/></system.web></configuration>'
    expect:
      - {verdict: latent, undecided: [confirmed]}

  - name: NOT EVALUATED the log begins in the middle of the request
    uls:
      - {t: "10:00:00.02", id: b9y3, level: High, corr: A, msg: 'Failed to open the file ''C:\Program Files\Common Files\Microsoft Shared\Web Server Extensions\14\Resources\wss.resx''.'}
      - {t: "10:00:00.04", id: 8e26, corr: A, msg: "Failed to open the language resource keyfile wss."}
      - {t: "10:00:00.05", id: b4ly, category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://portal.contoso.local:80/_vti_bin/owssvr.dll?CS=65001)). Execution Time=41"}
    expect: not_evaluated

  - name: NOT EVALUATED the log ends in the middle of the request
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://portal.contoso.local:80/_vti_bin/owssvr.dll?CS=65001)"}
      - {t: "10:00:00.02", id: b9y3, level: High, corr: A, msg: 'Failed to open the file ''C:\Program Files\Common Files\Microsoft Shared\Web Server Extensions\14\Resources\wss.resx''.'}
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

  - name: log-only when the web.config is refused because of its DOCTYPE
    uls:
      - {t: "10:00:00.00", id: tkau, level: Unexpected, category: Runtime, corr: A, msg: "System.Web.HttpException: Multiple controls with the same ID 'x' were found. Trace requires that controls have unique IDs."}
    web_config: '<!DOCTYPE c [<!ENTITY x SYSTEM "file:///etc/passwd">]><configuration><system.web><trace enabled="&x;"/></system.web></configuration>'
    expect:
      - {verdict: log-only, symptoms: {thrown: 1}}

"""##

private let FS0401_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS0401
tests:
  - name: debug compilation is on
    each: {value: ["true", "True"]}
    web_config: '<configuration><system.web><compilation batch="false" debug="<value>"/></system.web></configuration>'
    expect:
      - {verdict: debug, severity: warning, confidence: certain}

  - name: debug compilation is on in a location
    web_config: '<configuration><location path="_layouts"><system.web><compilation debug="true"/></system.web></location></configuration>'
    expect:
      - {verdict: debug}

  - name: NEAR MISS debug compilation is off, or not written
    each: {attribute: ['debug="false"', 'debug=" False "', 'batch="true"']}
    web_config: '<configuration><system.web><compilation <attribute>/></system.web></configuration>'
    expect: []

  - name: NOT EVALUATED what .NET would not read either, or stands in another file
    each: {attribute: ['debug=""', 'debug="yes"', 'configSource="compilation.config"']}
    web_config: '<configuration><system.web><compilation <attribute>/></system.web></configuration>'
    expect: not_evaluated

  - name: NEAR MISS debug of another element
    web_config: '<configuration><system.web><httpModules debug="true"/></system.web></configuration>'
    expect: []

  - name: PASS no compilation element
    web_config: '<configuration><system.web/></configuration>'
    expect: []

  - name: NOT EVALUATED without a web.config
    uls:
      - {t: "10:00:00.00", id: tkau, level: Unexpected, category: Runtime, msg: "System.Web.HttpException: A page failed."}
    expect: not_evaluated

  - name: NOT EVALUATED the web.config is refused
    web_config: '<!DOCTYPE c []><configuration><system.web><compilation debug="true"/></system.web></configuration>'
    expect: not_evaluated

"""##

private let FS0402_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS0402
tests:
  - name: customErrors is off
    web_config: '<configuration><system.web><customErrors mode="Off"/></system.web></configuration>'
    expect:
      - {verdict: details-shown, severity: warning, confidence: certain}

  - name: customErrors is off in a location
    web_config: '<configuration><system.web><customErrors mode="On"/></system.web><location path="_layouts"><system.web><customErrors mode="Off"/></system.web></location></configuration>'
    expect:
      - {verdict: details-shown}

  - name: NEAR MISS errors are hidden from remote users
    each: {attribute: ['mode="On"', 'mode="RemoteOnly"', 'defaultRedirect="error.htm"']}
    web_config: '<configuration><system.web><customErrors <attribute>/></system.web></configuration>'
    expect: []

  - name: NEAR MISS mode of another element
    web_config: '<configuration><system.web><sessionState mode="Off"/></system.web></configuration>'
    expect: []

  - name: PASS no customErrors element, which is RemoteOnly
    web_config: '<configuration><system.web/></configuration>'
    expect: []

  - name: NOT EVALUATED without a web.config
    uls:
      - {t: "10:00:00.00", id: tkau, level: Unexpected, category: Runtime, msg: "System.Web.HttpException: A page failed."}
    expect: not_evaluated

"""##

private let FS0403_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS0403
tests:
  - name: the call stack is shown
    each: {value: ["true", "True"]}
    web_config: '<configuration><SharePoint><SafeMode MaxControls="200" CallStack="<value>"/></SharePoint></configuration>'
    expect:
      - {verdict: call-stack-shown, severity: warning, confidence: certain}

  - name: the call stack is shown in a location
    web_config: '<configuration><location path="sites"><SharePoint><SafeMode CallStack="true"/></SharePoint></location></configuration>'
    expect:
      - {verdict: call-stack-shown}

  - name: NEAR MISS the call stack is not shown, or not written
    each: {attribute: ['CallStack="false"', 'MaxControls="200"']}
    web_config: '<configuration><SharePoint><SafeMode <attribute>/></SharePoint></configuration>'
    expect: []

  - name: NEAR MISS another attribute of SafeMode
    web_config: '<configuration><SharePoint><SafeMode CallStack="false" AllowPageLevelTrace="true"/></SharePoint></configuration>'
    expect: []

  - name: PASS no SafeMode element
    web_config: '<configuration><system.web><customErrors mode="Off"/></system.web></configuration>'
    expect: []

  - name: NOT EVALUATED without a web.config
    uls:
      - {t: "10:00:00.00", id: tkau, level: Unexpected, category: Runtime, msg: "System.Web.HttpException: A page failed."}
    expect: not_evaluated

"""##

private let FS0404_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS0404
tests:
  - name: the validation key differs
    web_config:
      - {server: WFE1, zone: Default, xml: '<configuration><system.web><machineKey validationKey="0A1B" decryptionKey="9988"/></system.web></configuration>'}
      - {server: WFE2, zone: Default, xml: '<configuration><system.web><machineKey validationKey="0A1C" decryptionKey="9988"/></system.web></configuration>'}
    expect:
      - {verdict: differs, severity: warning, confidence: certain, symptoms: {validation_key: 2}}

  - name: the decryption key differs
    web_config:
      - {server: WFE1, zone: Default, xml: '<configuration><system.web><machineKey validationKey="0A1B" decryptionKey="9988"/></system.web></configuration>'}
      - {server: WFE2, zone: Default, xml: '<configuration><system.web><machineKey validationKey="0A1B" decryptionKey="9989"/></system.web></configuration>'}
    expect:
      - {verdict: differs, symptoms: {decryption_key: 2}}

  - name: one server has keys and the other makes its own
    each: {attribute: ['decryptionKey="9988"', 'validationKey="AutoGenerate,IsolateApps" decryptionKey="9988"']}
    web_config:
      - {server: WFE1, zone: Default, xml: '<configuration><system.web><machineKey validationKey="0A1B" decryptionKey="9988"/></system.web></configuration>'}
      - {server: WFE2, zone: Default, xml: '<configuration><system.web><machineKey <attribute>/></system.web></configuration>'}
    expect:
      - {verdict: differs, symptoms: {validation_key: 2}}

  - name: one server has no decryption key
    web_config:
      - {server: WFE1, zone: Default, xml: '<configuration><system.web><machineKey validationKey="0A1B" decryptionKey="9988"/></system.web></configuration>'}
      - {server: WFE2, zone: Default, xml: '<configuration><system.web><machineKey validationKey="0A1B"/></system.web></configuration>'}
    expect:
      - {verdict: differs, symptoms: {decryption_key: 2}}

  - name: each server makes a key of its own
    each: {value: ["AutoGenerate", "AutoGenerate,IsolateApps"]}
    web_config:
      - {server: WFE1, zone: Default, xml: '<configuration><system.web><machineKey validationKey="<value>" decryptionKey="<value>"/></system.web></configuration>'}
      - {server: WFE2, zone: Default, xml: '<configuration><system.web><machineKey validationKey="<value>" decryptionKey="<value>"/></system.web></configuration>'}
    expect:
      - {verdict: made-by-server, severity: warning, confidence: certain}

  - name: one server says that it makes its own key, and the other does it unasked
    web_config:
      - {server: WFE1, zone: Default, xml: '<configuration><system.web><machineKey validationKey="AutoGenerate,IsolateApps" decryptionKey="9988"/></system.web></configuration>'}
      - {server: WFE2, zone: Default, xml: '<configuration><system.web><machineKey decryptionKey="9988"/></system.web></configuration>'}
    expect:
      - {verdict: made-by-server}

  - name: each server makes a key of its own in a location
    web_config:
      - {server: WFE1, zone: Default, xml: '<configuration><location path="_vti_bin"><system.web><machineKey validationKey="AutoGenerate" decryptionKey="9988"/></system.web></location></configuration>'}
      - {server: WFE2, zone: Default, xml: '<configuration><location path="_vti_bin"><system.web><machineKey validationKey="AutoGenerate" decryptionKey="9988"/></system.web></location></configuration>'}
    expect:
      - {verdict: made-by-server}

  - name: a key that differs says more than one that each server makes
    web_config:
      - {server: WFE1, zone: Default, xml: '<configuration><system.web><machineKey validationKey="AutoGenerate" decryptionKey="9988"/></system.web></configuration>'}
      - {server: WFE2, zone: Default, xml: '<configuration><system.web><machineKey validationKey="AutoGenerate" decryptionKey="9989"/></system.web></configuration>'}
    expect:
      - {verdict: differs, symptoms: {decryption_key: 2}}

  - name: NEAR MISS both keys are written and the same, other attributes differ
    web_config:
      - {server: WFE1, zone: Default, xml: '<configuration><system.web><machineKey validationKey="0A1B" decryptionKey="9988" validation="SHA1"/><customErrors mode="On"/></system.web></configuration>'}
      - {server: WFE2, zone: Default, xml: '<configuration><system.web><machineKey validationKey="0A1B" decryptionKey="9988" validation="SHA1"/><customErrors mode="Off"/></system.web></configuration>'}
    expect: []

  - name: NEAR MISS a written key and the default say the same
    web_config:
      - {server: WFE1, zone: Default, xml: '<configuration><system.web><machineKey validationKey="0A1B" decryptionKey="AutoGenerate,IsolateApps"/></system.web></configuration>'}
      - {server: WFE2, zone: Default, xml: '<configuration><system.web><machineKey validationKey="0A1B"/></system.web></configuration>'}
    expect: []

  - name: NEAR MISS one key, its digits written in capitals and in small letters
    web_config:
      - {server: WFE1, zone: Default, xml: '<configuration><system.web><machineKey validationKey="0A1B,IsolateApps" decryptionKey="AAFF"/></system.web></configuration>'}
      - {server: WFE2, zone: Default, xml: '<configuration><system.web><machineKey validationKey="0a1b,IsolateApps" decryptionKey="aaff"/></system.web></configuration>'}
    expect: []

  - name: two servers differ, whatever a third one keeps to itself
    web_config:
      - {server: WFE1, zone: Default, xml: '<configuration><system.web><machineKey validationKey="0A1B" decryptionKey="9988"/></system.web></configuration>'}
      - {server: WFE2, zone: Default, xml: '<configuration><system.web><machineKey validationKey="0A1C" decryptionKey="9988"/></system.web></configuration>'}
      - {server: WFE3, zone: Default, xml: '<configuration><system.web><machineKey configProtectionProvider="RsaProtectedConfigurationProvider"><EncryptedData/></machineKey></system.web></configuration>'}
    expect:
      - {verdict: differs, symptoms: {validation_key: 2}}

  - name: NOT EVALUATED a section that is encrypted or in another file may be the same
    each: {keys: ['<machineKey configProtectionProvider="RsaProtectedConfigurationProvider"><EncryptedData/></machineKey>', '<machineKey configSource="keys.config"/>']}
    web_config:
      - {server: WFE1, zone: Default, xml: '<configuration><system.web><machineKey validationKey="0A1B" decryptionKey="9988"/></system.web></configuration>'}
      - {server: WFE2, zone: Default, xml: '<configuration><system.web><keys></system.web></configuration>'}
    expect: not_evaluated

  - name: NOT EVALUATED sections that are all encrypted, or all in another file
    each: {keys: ['<machineKey configProtectionProvider="RsaProtectedConfigurationProvider"><EncryptedData/></machineKey>', '<machineKey configSource="keys.config"/>']}
    web_config:
      - {server: WFE1, zone: Default, xml: '<configuration><system.web><keys></system.web></configuration>'}
      - {server: WFE2, zone: Default, xml: '<configuration><system.web><keys></system.web></configuration>'}
    expect: not_evaluated

  - name: PASS one key on three servers
    web_config:
      - {server: WFE1, zone: Default, xml: '<configuration><system.web><machineKey validationKey="0A1B" decryptionKey="9988"/></system.web></configuration>'}
      - {server: WFE2, zone: Default, xml: '<configuration><system.web><machineKey validationKey="0A1B" decryptionKey="9988"/></system.web></configuration>'}
      - {server: WFE3, zone: Default, xml: '<configuration><system.web><machineKey validationKey="0A1B" decryptionKey="9988"/></system.web></configuration>'}
    expect: []

  - name: NOT EVALUATED one server alone, even if it makes its own key
    web_config:
      - {server: WFE1, zone: Default, xml: '<configuration><system.web><machineKey validationKey="AutoGenerate,IsolateApps" decryptionKey="AutoGenerate,IsolateApps"/></system.web></configuration>'}
    expect: not_evaluated

  - name: NOT EVALUATED without a web.config
    uls:
      - {t: "10:00:00.00", id: tkau, level: Unexpected, category: Runtime, msg: "System.Web.HttpException: Validation of viewstate MAC failed."}
    expect: not_evaluated

"""##

private let FS1002_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1002
tests:
  - name: one exception in three rows is one failed request, and the first abnormal row leads
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (GET:http://portal.contoso.local:80/_layouts/15/budget.aspx)"}
      - {t: "10:00:00.10", id: zq1a, level: Monitorable, category: Database, corr: A, msg: "The budget database does not answer."}
      - {t: "10:00:00.20", id: 8nca, corr: A, msg: "Application error when access /_layouts/15/budget.aspx, Error=Object reference not set to an instance of an object.   at Contoso.Budget.BudgetPage.OnLoad(EventArgs e)     at System.Web.UI.Control.LoadRecursive()"}
      - {t: "10:00:00.20", id: tkau, level: Unexpected, category: Runtime, corr: A, msg: "System.NullReferenceException: Object reference not set to an instance of an object.    at Contoso.Budget.BudgetPage.OnLoad(EventArgs e)     at System.Web.UI.Control.LoadRecursive()"}
      - {t: "10:00:00.21", id: ajlz0, level: High, corr: A, msg: "Getting Error Message for Exception System.Web.HttpUnhandledException (0x80004005): Exception of type 'System.Web.HttpUnhandledException' was thrown. ---> System.NullReferenceException: Object reference not set to an instance of an object.     at Contoso.Budget.BudgetPage.OnLoad(EventArgs e)     at System.Web.UI.Control.LoadRecursive()"}
      - {t: "10:00:00.25", id: b4ly, category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (GET:http://portal.contoso.local:80/_layouts/15/budget.aspx)). Execution Time=250"}
    expect:
      - verdict: exception
        severity: warning
        confidence: likely
        symptoms: {failed: 1, named: 1}
        captures: {exception: System.NullReferenceException, text: Object reference not set to an instance of an object., page: /_layouts/15/budget.aspx}
        lead: zq1a

  - name: 8nca alone, as where the other rows are not logged
    uls:
      - {t: "10:00:00.20", id: 8nca, corr: A, msg: "Application error when access /sites/hr/start.aspx, Error=Le fichier est introuvable.   à Contoso.Start.Page.OnLoad(EventArgs e)"}
    expect:
      - {verdict: exception, symptoms: {failed: 1}, captures: {page: /sites/hr/start.aspx}}

  - name: tkau alone, translated, split over rows
    uls:
      - {t: "10:00:00.20", id: tkau, level: Unexpected, category: Runtime, corr: A, split: 60, msg: "System.NullReferenceException: Der Objektverweis wurde nicht auf eine Objektinstanz festgelegt.    bei Contoso.Budget.BudgetPage.OnLoad(EventArgs e)     bei System.Web.UI.Control.LoadRecursive()"}
    expect:
      - {verdict: exception, symptoms: {failed: 1, named: 1}, captures: {exception: System.NullReferenceException, text: Der Objektverweis wurde nicht auf eine Objektinstanz festgelegt.}}

  - name: ajlz0 with the critical row that only repeats the message
    uls:
      - {t: "10:00:00.20", id: "6616", level: Critical, category: Runtime, corr: A, msg: "Requested registry access is not allowed."}
      - {t: "10:00:00.21", id: ajlz0, level: High, corr: A, msg: "Getting Error Message for Exception System.TypeInitializationException: The type initializer for 'Contoso.Forms.Cache' threw an exception. ---> System.Security.SecurityException: Requested registry access is not allowed.   at Microsoft.Win32.RegistryKey.OpenSubKey(String name, Boolean writable)"}
    expect:
      - {verdict: exception, symptoms: {failed: 1, named: 1, critical: 1}, captures: {exception: System.Security.SecurityException, text: Requested registry access is not allowed.}}

  - name: two requests are two, also without correlations
    uls:
      - {t: "10:00:00.20", id: 8nca, msg: "Application error when access /a.aspx, Error=Time is over.   at Contoso.A.B()"}
      - {t: "10:00:00.20", id: tkau, level: Unexpected, category: Runtime, msg: "System.TimeoutException: Time is over.   at Contoso.A.B()"}
      - {t: "10:05:00.20", id: tkau, level: Unexpected, category: Runtime, msg: "System.TimeoutException: Time is over.   at Contoso.A.B()"}
    expect:
      - {verdict: exception, symptoms: {failed: 2, named: 1}}

  - name: a paste of the rows with single blanks
    paste: |
      02/06/2019 10:33:12.14 w3wp.exe (WFE1:0x0B18) 0x2118 SharePoint Foundation General 8nca Medium Application error when access /_layouts/15/leave.aspx, Error=Requested registry access is not allowed. at Microsoft.Win32.RegistryKey.OpenSubKey(String name, Boolean writable) 5b1f7c2e-40aa-40c1-93d4-7de02c1b6f01
      02/06/2019 10:33:12.14 w3wp.exe (WFE1:0x0B18) 0x2118 SharePoint Foundation Runtime 6616 Critical Requested registry access is not allowed. 5b1f7c2e-40aa-40c1-93d4-7de02c1b6f01
    expect:
      - {verdict: exception, symptoms: {failed: 1, critical: 1}, captures: {page: /_layouts/15/leave.aspx}}

  - name: NEAR MISS what ends requests of a healthy farm
    each:
      tag: [8nca, tkau, ajlz0]
      text:
        - "System.Threading.ThreadAbortException: Thread was being aborted."
        - "Thread was being aborted.   at System.Threading.Thread.AbortInternal()"
        - "The remote host closed the connection. The error code is 0x800703E3."
        - "The client left (0x800704CD)."
        - "The remote host closed the connection. The error code is 0x80072746."
        - "Die Verbindung ist getrennt.   bei System.Web.Hosting.IIS7WorkerRequest.RaiseCommunicationError(Int32 result)"
        - "Zugriff verweigert.   bei Microsoft.SharePoint.Utilities.SPUtility.HandleAccessDenied(Exception ex)"
        - "Attempted to perform an unauthorized operation.   at Microsoft.SharePoint.SPGlobal.HandleUnauthorizedAccessException(UnauthorizedAccessException ex)"
        - "Access is denied. (Exception from HRESULT: 0x80070005 (E_ACCESSDENIED))"
        - "Application error when access /_layouts/15/settings.aspx, Error=Access denied."
        - "The file '/_layouts/15/nosuch.aspx' does not exist."
        - "The file '/favicon.ico' does not exist."
        - "Die Datei '/seiten/weg.aspx' ist nicht vorhanden.   bei System.Web.UI.Util.CheckVirtualFileExists(VirtualPath virtualPath)"
    uls:
      - {t: "10:00:00.20", id: "<tag>", level: Unexpected, category: Runtime, corr: A, msg: "Getting Error Message for Exception: <text>"}
    expect: []

  - name: a part of the page that does not exist is a failure
    each: {tag: [8nca, tkau, ajlz0]}
    uls:
      - {t: "10:00:00.20", id: "<tag>", level: Unexpected, category: Runtime, corr: A, msg: "System.Web.HttpException (0x80004005): The file '/_controltemplates/15/menu.ascx' does not exist.    at System.Web.UI.Util.CheckVirtualFileExists(VirtualPath virtualPath)"}
    expect:
      - {verdict: exception, severity: warning}

  - name: what wraps the exception is not its name
    each: {tag: [tkau, ajlz0]}
    uls:
      - {t: "10:00:00.20", id: "<tag>", level: Unexpected, category: Runtime, corr: A, msg: "System.Web.HttpUnhandledException (0x80004005): Exception of type 'System.Web.HttpUnhandledException' was thrown. ---> System.FormatException: Not a number.     at Contoso.Budget.BudgetPage.OnLoad(EventArgs e)"}
    expect:
      - {verdict: exception, captures: {exception: System.FormatException, text: Not a number.}, message: "1 request(s) failed with an exception; the first that is named: System.FormatException (Not a number.); the first page: not logged."}

  - name: NEAR MISS the same texts under other IDs
    uls:
      - {t: "10:00:00.20", id: zq1a, level: Unexpected, category: Runtime, corr: A, msg: "System.NullReferenceException: Object reference not set to an instance of an object.    at Contoso.Budget.BudgetPage.OnLoad(EventArgs e)"}
      - {t: "10:00:00.20", id: zq1b, corr: A, msg: "Application error when access /a.aspx, Error=Object reference not set to an instance of an object."}
    expect: []

  - name: NEAR MISS the critical row alone, and the number in another category
    uls:
      - {t: "10:00:00.20", id: "6616", level: Critical, category: Runtime, corr: A, msg: "Requested registry access is not allowed."}
      - {t: "10:00:01.20", id: "6616", level: Critical, category: Timer, corr: B, msg: "Requested registry access is not allowed."}
    expect: []

  - name: NEAR MISS the number 6616 in another category is no symptom
    uls:
      - {t: "10:00:00.20", id: tkau, level: Unexpected, category: Runtime, corr: A, msg: "System.TimeoutException: Time is over.   at Contoso.A.B()"}
      - {t: "10:00:01.20", id: "6616", level: Critical, category: Timer, corr: B, msg: "A job of Contoso failed."}
    expect:
      - {verdict: exception, symptoms: {failed: 1, named: 1}}

  - name: PASS a request without an exception
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (GET:http://portal.contoso.local:80/)"}
      - {t: "10:00:00.25", id: b4ly, category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (GET:http://portal.contoso.local:80/)). Execution Time=25"}
    expect: []

  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1018_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1018
tests:
  - name: a missing method, named by the exception
    each: {level: [Critical, Unexpected, Monitorable]}
    uls:
      - {t: "10:00:00.00", id: eh0u, level: "<level>", area: SharePoint Portal Server, category: User Profiles, corr: A, msg: "ProfilePropertyService.GetProfileProperties Exception: System.MissingMethodException: Method not found: 'Microsoft.SharePoint.Administration.SPIdentifierType Microsoft.SharePoint.Administration.SPAce`1.get_BinaryIdType()'.    at Microsoft.Office.Server.Administration.SPAclFormatter.Serialize[TRights](XmlWriter xmlWriter, SPAcl`1 acl)     at Microsoft.Office.Server.Administration.UserProfileApplication.GetProperties()"}
    expect:
      - {verdict: missing-method, severity: warning, confidence: likely, symptoms: {missing: 1}, captures: {method: SharePoint.Administration.SPAce`1.get_BinaryIdType}}

  - name: a missing method, translated, split over rows
    uls:
      - {t: "10:00:00.00", id: tkau, level: Unexpected, category: Runtime, corr: A, split: 60, msg: "System.MissingMethodException: Methode nicht gefunden: \"Void Microsoft.SharePoint.SPWeb.Renew(System.String)\".    bei Microsoft.SharePoint.Publishing.Contoso.Load()     bei System.Web.UI.Control.LoadRecursive()"}
    expect:
      - {verdict: missing-method, symptoms: {missing: 1}, captures: {method: SharePoint.SPWeb.Renew}}

  - name: a missing method on a page counts once and is no generic exception
    with: [FS1002]
    uls:
      - {t: "10:00:00.00", id: 8nca, corr: A, msg: "Application error when access /_layouts/15/start.aspx, Error=Method not found: 'Void Microsoft.SharePoint.SPWeb.Renew(System.String)'.   at Microsoft.SharePoint.Publishing.StartPage.OnLoad(EventArgs e)     at System.Web.UI.Control.LoadRecursive()"}
      - {t: "10:00:00.00", id: tkau, level: Unexpected, category: Runtime, corr: A, msg: "System.MissingMethodException: Method not found: 'Void Microsoft.SharePoint.SPWeb.Renew(System.String)'.    at Microsoft.SharePoint.Publishing.StartPage.OnLoad(EventArgs e)     at System.Web.UI.Control.LoadRecursive()"}
      - {t: "10:00:00.01", id: ajlz0, level: High, corr: A, msg: "Getting Error Message for Exception System.Web.HttpUnhandledException (0x80004005): Exception of type 'System.Web.HttpUnhandledException' was thrown. ---> System.MissingMethodException: Method not found: 'Void Microsoft.SharePoint.SPWeb.Renew(System.String)'.     at Microsoft.SharePoint.Publishing.StartPage.OnLoad(EventArgs e)"}
    expect:
      - {verdict: missing-method, symptoms: {missing: 1}}

  - name: 8nca alone names the missing method
    uls:
      - {t: "10:00:00.00", id: 8nca, corr: A, msg: "Application error when access /_layouts/15/start.aspx, Error=Methode nicht gefunden: \"Void Microsoft.SharePoint.SPWeb.Renew(System.String)\".   bei Microsoft.SharePoint.Publishing.StartPage.OnLoad(EventArgs e)"}
    expect:
      - {verdict: missing-method, symptoms: {missing: 1}, captures: {method: SharePoint.SPWeb.Renew}}

  - name: an invalid program on a page counts once and is no generic exception
    with: [FS1002]
    uls:
      - {t: "10:00:00.00", id: 8nca, corr: A, msg: "Application error when access /_admin/newsite.aspx, Error=Common Language Runtime detected an invalid program.   at Microsoft.Office.Server.UserProfiles.ProfileReader.GetReader()     at Microsoft.SharePoint.WebControls.SitePicker.OnPreRender(EventArgs e)"}
      - {t: "10:00:00.00", id: tkau, level: Unexpected, category: Runtime, corr: A, msg: "System.InvalidProgramException: Common Language Runtime detected an invalid program.    at Microsoft.Office.Server.UserProfiles.ProfileReader.GetReader()     at Microsoft.SharePoint.WebControls.SitePicker.OnPreRender(EventArgs e)"}
      - {t: "10:00:00.01", id: ajlz0, level: High, corr: A, msg: "Getting Error Message for Exception System.Web.HttpUnhandledException (0x80004005): Exception of type 'System.Web.HttpUnhandledException' was thrown. ---> System.InvalidProgramException: Common Language Runtime detected an invalid program.     at Microsoft.Office.Server.UserProfiles.ProfileReader.GetReader()"}
    expect:
      - {verdict: edition, severity: warning, confidence: likely, symptoms: {damaged: 1, stub: 1}}

  - name: 8nca alone names the damaged method
    uls:
      - {t: "10:00:00.00", id: 8nca, corr: A, msg: "Application error when access /_admin/newsite.aspx, Error=Common Language Runtime detected an invalid program.   at Microsoft.Office.Server.UserProfiles.ProfileReader.GetReader()"}
    expect:
      - {verdict: edition, symptoms: {damaged: 1, stub: 1}, captures: {damaged: Office.Server.UserProfiles.ProfileReader.GetReader}}

  - name: an invalid program, translated
    each: {level: [Critical, Unexpected, Monitorable]}
    uls:
      - {t: "10:00:00.00", id: tkau, level: "<level>", category: Runtime, corr: A, msg: "System.InvalidProgramException: Die Common Language Runtime hat ein ungültiges Programm gefunden.    bei Microsoft.Office.Server.UserProfiles.ProfileReader.GetReader()"}
    expect:
      - {verdict: edition, symptoms: {damaged: 1, stub: 1}, captures: {damaged: Office.Server.UserProfiles.ProfileReader.GetReader}}

  - name: ajlz0 alone names the method
    uls:
      - {t: "10:00:00.01", id: ajlz0, level: High, corr: A, msg: "Getting Error Message for Exception System.Web.HttpUnhandledException (0x80004005): Ausnahme. ---> System.MissingMethodException: Methode nicht gefunden: \"Void Microsoft.SharePoint.SPWeb.Renew(System.String)\".     bei Microsoft.SharePoint.Publishing.StartPage.OnLoad(EventArgs e)"}
    expect:
      - {verdict: missing-method, symptoms: {missing: 1}, captures: {method: SharePoint.SPWeb.Renew}}

  - name: ajlz0 alone names the damaged method
    uls:
      - {t: "10:00:00.01", id: ajlz0, level: High, corr: A, msg: "Getting Error Message for Exception System.Web.HttpUnhandledException (0x80004005): Ausnahme. ---> System.InvalidProgramException: Die Common Language Runtime hat ein ungültiges Programm gefunden.     bei Microsoft.Office.Server.UserProfiles.ProfileReader.GetReader()"}
    expect:
      - {verdict: edition, symptoms: {damaged: 1, stub: 1}, captures: {damaged: Office.Server.UserProfiles.ProfileReader.GetReader}}

  - name: both, in one finding
    uls:
      - {t: "10:00:00.00", id: tkau, level: Unexpected, category: Runtime, corr: A, msg: "System.InvalidProgramException: Common Language Runtime detected an invalid program.    at Microsoft.Office.Server.UserProfiles.ProfileReader.GetReader()"}
      - {t: "10:00:02.00", id: tkau, level: Unexpected, category: Runtime, corr: B, msg: "System.MissingMethodException: Method not found: 'Void Microsoft.SharePoint.SPWeb.Renew(System.String)'.    at Microsoft.SharePoint.Publishing.StartPage.OnLoad(EventArgs e)"}
    expect:
      - {verdict: missing-method, symptoms: {missing: 1, damaged: 1}}

  - name: a damaged program that every edition has, in each of the rows
    each:
      tag: [8nca, ajlz0]
    uls:
      - {t: "10:00:00.00", id: "<tag>", corr: A, msg: "Error=Common Language Runtime detected an invalid program.   at Microsoft.SharePoint.Publishing.StartPage.OnLoad(EventArgs e)     at Microsoft.Office.Server.UserProfiles.ProfileReader.GetReader()"}
    expect:
      - {verdict: invalid-program, severity: warning, confidence: likely, symptoms: {damaged: 1}, captures: {damaged: SharePoint.Publishing.StartPage.OnLoad}}

  - name: a damaged program that every edition has, named by the exception
    each: {level: [Critical, Unexpected, Monitorable]}
    uls:
      - {t: "10:00:00.00", id: zq1a, level: "<level>", category: Runtime, corr: A, msg: "System.InvalidProgramException: Common Language Runtime detected an invalid program.    at Microsoft.SharePoint.Publishing.StartPage.OnLoad(EventArgs e)     at Microsoft.Office.Server.UserProfiles.ProfileReader.GetReader()"}
    expect:
      - {verdict: invalid-program, symptoms: {damaged: 1}}

  - name: a bare message as somebody pasted it
    paste: |
      System.InvalidProgramException: Common Language Runtime detected an invalid program. at Microsoft.Office.Server.UserProfiles.ProfileReader.GetReader() at Microsoft.SharePoint.WebControls.SitePicker.OnPreRender(EventArgs e)
    expect:
      - {verdict: edition, symptoms: {damaged: 1, stub: 1}}

  - name: NEAR MISS other code is compiled for another build
    uls:
      - {t: "10:00:00.00", id: tkau, level: Unexpected, category: Runtime, corr: A, msg: "System.MissingMethodException: Method not found: 'Void Contoso.Budget.Plan.Renew(System.String)'.    at Contoso.Budget.PlanPage.OnLoad(EventArgs e)     at Microsoft.SharePoint.WebControls.UnsecuredLayoutsPageBase.OnLoad(EventArgs e)"}
      - {t: "10:00:01.00", id: tkau, level: Unexpected, category: Runtime, corr: B, msg: "System.MissingMethodException: Method not found: 'Void Microsoft.SharePoint.SPWeb.Renew(System.String)'.    at Contoso.Budget.PlanPage.OnLoad(EventArgs e)     at Microsoft.SharePoint.WebControls.UnsecuredLayoutsPageBase.OnLoad(EventArgs e)"}
      - {t: "10:00:02.00", id: 8nca, corr: B, msg: "Application error when access /a.aspx, Error=Method not found: 'Void Microsoft.SharePoint.SPWeb.Renew(System.String)'.   at Contoso.Budget.PlanPage.OnLoad(EventArgs e)     at Microsoft.SharePoint.WebControls.UnsecuredLayoutsPageBase.OnLoad(EventArgs e)"}
    expect: []

  - name: NEAR MISS other code is an invalid program
    uls:
      - {t: "10:00:00.00", id: 8nca, corr: A, msg: "Application error when access /a.aspx, Error=Common Language Runtime detected an invalid program.   at Contoso.Budget.PlanPage.OnLoad(EventArgs e)     at Microsoft.SharePoint.WebControls.UnsecuredLayoutsPageBase.OnLoad(EventArgs e)"}
      - {t: "10:00:00.00", id: tkau, level: Unexpected, category: Runtime, corr: A, msg: "System.InvalidProgramException: Common Language Runtime detected an invalid program.    at Contoso.Budget.PlanPage.OnLoad(EventArgs e)     at Microsoft.SharePoint.WebControls.UnsecuredLayoutsPageBase.OnLoad(EventArgs e)"}
    expect: []

  - name: NEAR MISS another exception that quotes a name of Microsoft
    uls:
      - {t: "10:00:00.00", id: 8nca, corr: A, msg: "Application error when access /a.aspx, Error=Could not load file or assembly 'Microsoft.Office.Server, Version=15.0.0.0' or one of its dependencies.   at Microsoft.SharePoint.Publishing.StartPage.OnLoad(EventArgs e)"}
      - {t: "10:00:00.00", id: tkau, level: Unexpected, category: Runtime, corr: A, msg: "System.MissingFieldException: Field not found: 'Void Microsoft.SharePoint.SPWeb.Renew(System.String)'.    at Microsoft.SharePoint.Publishing.StartPage.OnLoad(EventArgs e)"}
    expect: []

  - name: NEAR MISS other code, in the row with all inner exceptions
    uls:
      - {t: "10:00:00.01", id: ajlz0, level: High, corr: A, msg: "Getting Error Message for Exception System.Web.HttpUnhandledException (0x80004005): Exception of type 'System.Web.HttpUnhandledException' was thrown. ---> System.MissingMethodException: Method not found: 'Void Contoso.Budget.Plan.Renew(System.String)'.     at Contoso.Budget.PlanPage.OnLoad(EventArgs e)     at Microsoft.SharePoint.WebControls.UnsecuredLayoutsPageBase.OnLoad(EventArgs e)"}
    expect: []

  - name: NEAR MISS the same texts below Monitorable and under another ID
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, msg: "Error=Method not found: 'Void Microsoft.SharePoint.SPWeb.Renew(System.String)'.   at Microsoft.SharePoint.Publishing.StartPage.OnLoad(EventArgs e)"}
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, msg: "Caught System.MissingMethodException: Method not found: 'Void Microsoft.SharePoint.SPWeb.Renew(System.String)'.   at Microsoft.SharePoint.Publishing.StartPage.OnLoad(EventArgs e)"}
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, msg: "Error=Common Language Runtime detected an invalid program.   at Microsoft.SharePoint.Publishing.StartPage.OnLoad(EventArgs e)"}
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, msg: "Caught System.InvalidProgramException: Common Language Runtime detected an invalid program.   at Microsoft.SharePoint.Publishing.StartPage.OnLoad(EventArgs e)"}
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, msg: "Error=Common Language Runtime detected an invalid program.   at Microsoft.Office.Server.UserProfiles.ProfileReader.GetReader()"}
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, msg: "Caught System.InvalidProgramException: Common Language Runtime detected an invalid program.   at Microsoft.Office.Server.UserProfiles.ProfileReader.GetReader()"}
    expect: []

  - name: PASS a request without an exception
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (GET:http://portal.contoso.local:80/)"}
      - {t: "10:00:00.25", id: b4ly, category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (GET:http://portal.contoso.local:80/)). Execution Time=25"}
    expect: []

  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1029_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1029
tests:
  - name: a REST call of a workflow is refused, each of the two rows that report it
    each: {tag: [afxwb, agmjp, aizmo]}
    uls:
      - {t: "10:00:00.00", id: "xmnv", category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://sp.contoso.com/_vti_bin/client.svc/web/lists)"}
      - {t: "10:00:00.05", id: "zq1o", level: Verbose, category: Application Authentication, corr: A, msg: "SPApplicationAuthenticationModule: Application and user token found."}
      - {t: "10:00:00.10", id: "ajmmu", category: Authentication Authorization, corr: A, msg: "Permission check failed. asking for 0x10000, have 0x2000000000"}
      - {t: "10:00:00.11", id: "<tag>", level: High, category: CSOM, corr: A, split: 90, msg: "Original error: System.UnauthorizedAccessException: Attempted to perform an unauthorized operation.     at Microsoft.SharePoint.SPSecurableObject.CheckPermissions(SPBasePermissions permissionMask)     at Microsoft.SharePoint.Client.SPClientServiceHost.OnBeginRequest()     at Microsoft.SharePoint.Client.Rest.RestService.ProcessQuery(Stream inputStream, IList`1 pendingDisposableContainer)"}
      - {t: "10:00:00.12", id: "alkvd", category: Authentication Authorization, corr: A, msg: "Throw UnauthorizedAccessException instead of SPUtilityInternal.Send401 for client.svc request."}
      - {t: "10:00:00.20", id: "b4ly", category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://sp.contoso.com/_vti_bin/client.svc/web/lists)). Execution Time=201.5"}
    expect:
      - verdict: no-group-claims
        severity: error
        confidence: likely
        symptoms: {by_application: 1, refused: 1}
        message: "client.svc refuses an application that acts for a user (1 request(s)): the user has no right to open the site; groups of a SAML user may not have been passed on."
  - name: the text of the exception is translated
    uls:
      - {t: "10:00:00.00", id: "xmnv", category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://sp.contoso.com/_vti_bin/client.svc/web/lists)"}
      - {t: "10:00:00.10", id: "ajmmu", category: Authentication Authorization, corr: A, msg: "Permission check failed. asking for 0x10000, have 0x2000000000"}
      - {t: "10:00:00.11", id: "afxwb", level: High, category: CSOM, corr: A, msg: "System.UnauthorizedAccessException: Es wurde versucht, einen nicht autorisierten Vorgang auszuführen.     bei Microsoft.SharePoint.Client.SPClientServiceHost.OnBeginRequest()     bei Microsoft.SharePoint.Client.Rest.RestService.ProcessQuery(Stream inputStream)"}
      - {t: "10:00:00.20", id: "b4ly", category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://sp.contoso.com/_vti_bin/client.svc/web/lists)). Execution Time=201.5"}
    expect: [{verdict: no-right, severity: warning, confidence: likely, symptoms: {refused: 1}}]
  - name: a paste that is hard-wrapped and has a correlation in one row only
    paste: |
      09:12:44.31 w3wp.exe (0x1F24) 0x2A10 SharePoint Foundation Authentication Authorization ajmmu
      Medium Permission check failed. asking for 0x10000, have 0x2000000000 7b1c0f54-3a0e-4a52-9d0b-
      5f1f0a6d2c11

      09:12:44.31 w3wp.exe (0x1F24) 0x2A10 SharePoint Foundation CSOM afxwb High
      System.UnauthorizedAccessException: Attempted to perform an unauthorized operation. at
      Microsoft.SharePoint.Client.SPClientServiceHost.OnBeginRequest() at
      Microsoft.SharePoint.Client.Rest.RestService.ProcessQuery(Stream inputStream, IList`1
      pendingDisposableContainer)

      09:12:44.31 w3wp.exe (0x1F24) 0x2A10 SharePoint Portal Server Microfeeds aizmo Medium
      SocialRESTExceptionProcessingHandler.DoServerExceptionProcessing - SharePoint Server Exception
      [System.UnauthorizedAccessException: Attempted to perform an unauthorized operation. at
      Microsoft.SharePoint.Client.SPClientServiceHost.OnBeginRequest()] 7b1c0f54-3a0e-4a52-9d0b-
      5f1f0a6d2c11
    expect: [{verdict: no-right, severity: warning, symptoms: {refused: 1}}]
  - name: rows without a correlation, of one thread
    uls:
      - {t: "10:00:00.05", id: "zq1o", level: Verbose, category: Application Authentication, msg: "SPApplicationAuthenticationModule: Application and user token found."}
      - {t: "10:00:00.10", id: "ajmmu", category: Authentication Authorization, msg: "Permission check failed. asking for 0x10000, have 0x2000000000"}
      - {t: "10:00:00.11", id: "afxwb", level: High, category: CSOM, msg: "System.UnauthorizedAccessException: Attempted to perform an unauthorized operation.     at Microsoft.SharePoint.Client.SPClientServiceHost.OnBeginRequest()"}
    expect: [{verdict: no-group-claims, symptoms: {by_application: 1, refused: 1}}]
  - name: NEAR MISS the caller has other rights and lacks only one
    uls:
      - {t: "10:00:00.00", id: "xmnv", category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://sp.contoso.com/_vti_bin/client.svc/web/lists)"}
      - {t: "10:00:00.10", id: "ajmmu", category: Authentication Authorization, corr: A, msg: "Permission check failed. asking for 0x10000, have 0x1B03C431AEF"}
      - {t: "10:00:00.11", id: "afxwb", level: High, category: CSOM, corr: A, msg: "System.UnauthorizedAccessException: Attempted to perform an unauthorized operation.     at Microsoft.SharePoint.Client.SPClientServiceHost.OnBeginRequest()     at Microsoft.SharePoint.Client.Rest.RestService.ProcessQuery(Stream inputStream)"}
      - {t: "10:00:00.20", id: "b4ly", category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://sp.contoso.com/_vti_bin/client.svc/web/lists)). Execution Time=201.5"}
    expect: []
  - name: NEAR MISS the text of the permission check under another event
    uls:
      - {t: "10:00:00.00", id: "xmnv", category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://sp.contoso.com/_vti_bin/client.svc/web/lists)"}
      - {t: "10:00:00.10", id: "ajmmv", category: Authentication Authorization, corr: A, msg: "Permission check failed. asking for 0x10000, have 0x2000000000"}
      - {t: "10:00:00.11", id: "afxwb", level: High, category: CSOM, corr: A, msg: "System.UnauthorizedAccessException: Attempted to perform an unauthorized operation.     at Microsoft.SharePoint.Client.SPClientServiceHost.OnBeginRequest()     at Microsoft.SharePoint.Client.Rest.RestService.ProcessQuery(Stream inputStream)"}
      - {t: "10:00:00.20", id: "b4ly", category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://sp.contoso.com/_vti_bin/client.svc/web/lists)). Execution Time=201.5"}
    expect: []
  - name: NEAR MISS the exception in a row of another part of the product
    uls:
      - {t: "10:00:00.00", id: "xmnv", category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://sp.contoso.com/_vti_bin/client.svc/web/lists)"}
      - {t: "10:00:00.10", id: "ajmmu", category: Authentication Authorization, corr: A, msg: "Permission check failed. asking for 0x10000, have 0x2000000000"}
      - {t: "10:00:00.11", id: "zq1a", area: Contoso, category: Feeds, corr: A, msg: "SharePoint Server Exception [System.UnauthorizedAccessException: Attempted to perform an unauthorized operation.     at Microsoft.SharePoint.Client.SPClientServiceHost.OnBeginRequest()]"}
      - {t: "10:00:00.20", id: "b4ly", category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://sp.contoso.com/_vti_bin/client.svc/web/lists)). Execution Time=201.5"}
    expect: []
  - name: NEAR MISS the check failed in the middle of a call that may open the site
    uls:
      - {t: "10:00:00.00", id: "xmnv", category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://sp.contoso.com/_vti_bin/client.svc/web/lists)"}
      - {t: "10:00:00.10", id: "ajmmu", category: Authentication Authorization, corr: A, msg: "Permission check failed. asking for 0x10000, have 0x2000000000"}
      - {t: "10:00:00.11", id: "afxwb", level: High, category: CSOM, corr: A, msg: "System.UnauthorizedAccessException: Attempted to perform an unauthorized operation.     at Microsoft.SharePoint.SPSecurableObject.CheckPermissions(SPBasePermissions permissionMask)     at Microsoft.SharePoint.SPList.Delete()"}
      - {t: "10:00:00.20", id: "b4ly", category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://sp.contoso.com/_vti_bin/client.svc/web/lists)). Execution Time=201.5"}
    expect: []
  - name: NEAR MISS the call began with another exception
    uls:
      - {t: "10:00:00.00", id: "xmnv", category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://sp.contoso.com/_vti_bin/client.svc/web/lists)"}
      - {t: "10:00:00.10", id: "ajmmu", category: Authentication Authorization, corr: A, msg: "Permission check failed. asking for 0x10000, have 0x2000000000"}
      - {t: "10:00:00.11", id: "afxwb", level: High, category: CSOM, corr: A, msg: "System.IO.FileNotFoundException: The site http://sp.contoso.com/sites/gone could not be found.     at Microsoft.SharePoint.Client.SPClientServiceHost.OnBeginRequest()     at Microsoft.SharePoint.Client.Rest.RestService.ProcessQuery(Stream inputStream)"}
      - {t: "10:00:00.20", id: "b4ly", category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://sp.contoso.com/_vti_bin/client.svc/web/lists)). Execution Time=201.5"}
    expect: []
  - name: NEAR MISS a refused page, no client.svc
    uls:
      - {t: "10:00:00.00", id: "xmnv", category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://sp.contoso.com/_vti_bin/client.svc/web/lists)"}
      - {t: "10:00:00.10", id: "ajmmu", category: Authentication Authorization, corr: A, msg: "Permission check failed. asking for 0x10000, have 0x2000000000"}
      - {t: "10:00:00.11", id: "b4ly", category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (GET:http://sp.contoso.com/sites/hr)). Execution Time=12"}
      - {t: "10:00:00.20", id: "b4ly", category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://sp.contoso.com/_vti_bin/client.svc/web/lists)). Execution Time=201.5"}
    expect: []
  - name: NEAR MISS a refused call without the permission check
    uls:
      - {t: "10:00:00.00", id: "xmnv", category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://sp.contoso.com/_vti_bin/client.svc/web/lists)"}
      - {t: "10:00:00.11", id: "afxwb", level: High, category: CSOM, corr: A, msg: "System.UnauthorizedAccessException: Attempted to perform an unauthorized operation.     at Microsoft.SharePoint.Client.SPClientServiceHost.OnBeginRequest()     at Microsoft.SharePoint.Client.Rest.RestService.ProcessQuery(Stream inputStream)"}
      - {t: "10:00:00.20", id: "b4ly", category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://sp.contoso.com/_vti_bin/client.svc/web/lists)). Execution Time=201.5"}
    expect: []
  - name: NEAR MISS a user with limited access calls REST, many rows of one request
    uls:
      - {t: "10:00:00.00", id: "xmnv", category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://sp.contoso.com/_vti_bin/client.svc/web/lists)"}
      - {t: "10:00:00.10", id: "ajmmu", category: Authentication Authorization, corr: A, msg: "Permission check failed. asking for 0x10000, have 0x2000000000"}
      - {t: "10:00:00.12", id: "ajmmu", category: Authentication Authorization, corr: A, msg: "Permission check failed. asking for 0x10000, have 0x2000000000"}
      - {t: "10:00:00.11", id: "afxwb", level: High, category: CSOM, corr: A, msg: "System.UnauthorizedAccessException: Attempted to perform an unauthorized operation.     at Microsoft.SharePoint.Client.SPClientServiceHost.OnBeginRequest()"}
      - {t: "10:00:00.13", id: "agmjp", level: High, category: CSOM, corr: A, msg: "System.UnauthorizedAccessException: Attempted to perform an unauthorized operation.     at Microsoft.SharePoint.Client.SPClientServiceHost.OnBeginRequest()"}
      - {t: "10:00:00.20", id: "b4ly", category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://sp.contoso.com/_vti_bin/client.svc/web/lists)). Execution Time=201.5"}
    expect: [{verdict: no-right, severity: warning, confidence: likely, symptoms: {refused: 1}, count: 1, message: "client.svc refuses a caller that has no right to open the site (1 request(s)); nothing shows that this is more than a missing right."}]
  - name: NEAR MISS the check and the exception belong to two requests
    uls:
      - {t: "10:00:00.00", id: "xmnv", category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://sp.contoso.com/_vti_bin/client.svc/web/lists)"}
      - {t: "10:00:00.00", id: "xmnv", category: Logging Correlation Data, corr: B, msg: "Name=Request (POST:http://sp.contoso.com/_vti_bin/client.svc/web/lists)"}
      - {t: "10:00:00.10", id: "ajmmu", category: Authentication Authorization, corr: A, msg: "Permission check failed. asking for 0x10000, have 0x2000000000"}
      - {t: "10:00:00.11", id: "afxwb", level: High, category: CSOM, corr: B, msg: "System.UnauthorizedAccessException: Attempted to perform an unauthorized operation.     at Microsoft.SharePoint.Client.SPClientServiceHost.OnBeginRequest()"}
      - {t: "10:00:00.20", id: "b4ly", category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://sp.contoso.com/_vti_bin/client.svc/web/lists)). Execution Time=201.5"}
      - {t: "10:00:00.20", id: "b4ly", category: Monitoring, corr: B, msg: "Leaving Monitored Scope (Request (POST:http://sp.contoso.com/_vti_bin/client.svc/web/lists)). Execution Time=201.5"}
    expect: []
  - name: NEAR MISS the exception comes before the check
    uls:
      - {t: "10:00:00.00", id: "xmnv", category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://sp.contoso.com/_vti_bin/client.svc/web/lists)"}
      - {t: "10:00:00.11", id: "afxwb", level: High, category: CSOM, corr: A, msg: "System.UnauthorizedAccessException: Attempted to perform an unauthorized operation.     at Microsoft.SharePoint.Client.SPClientServiceHost.OnBeginRequest()"}
      - {t: "10:00:00.12", id: "ajmmu", category: Authentication Authorization, corr: A, msg: "Permission check failed. asking for 0x10000, have 0x2000000000"}
      - {t: "10:00:00.20", id: "b4ly", category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://sp.contoso.com/_vti_bin/client.svc/web/lists)). Execution Time=201.5"}
    expect: []
  - name: NEAR MISS the token of an application belongs to another request
    uls:
      - {t: "10:00:00.00", id: "xmnv", category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://sp.contoso.com/_vti_bin/client.svc/web/lists)"}
      - {t: "10:00:00.00", id: "xmnv", category: Logging Correlation Data, corr: B, msg: "Name=Request (POST:http://sp.contoso.com/_vti_bin/client.svc/web/lists)"}
      - {t: "10:00:00.05", id: "zq1o", level: Verbose, category: Application Authentication, corr: B, msg: "SPApplicationAuthenticationModule: Application and user token found."}
      - {t: "10:00:00.10", id: "ajmmu", category: Authentication Authorization, corr: A, msg: "Permission check failed. asking for 0x10000, have 0x2000000000"}
      - {t: "10:00:00.11", id: "afxwb", level: High, category: CSOM, corr: A, msg: "System.UnauthorizedAccessException: Attempted to perform an unauthorized operation.     at Microsoft.SharePoint.Client.SPClientServiceHost.OnBeginRequest()"}
      - {t: "10:00:00.20", id: "b4ly", category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://sp.contoso.com/_vti_bin/client.svc/web/lists)). Execution Time=201.5"}
      - {t: "10:00:00.20", id: "b4ly", category: Monitoring, corr: B, msg: "Leaving Monitored Scope (Request (POST:http://sp.contoso.com/_vti_bin/client.svc/web/lists)). Execution Time=201.5"}
    expect: [{verdict: no-right}]
  - name: NEAR MISS the token comes after the check
    uls:
      - {t: "10:00:00.00", id: "xmnv", category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://sp.contoso.com/_vti_bin/client.svc/web/lists)"}
      - {t: "10:00:00.10", id: "ajmmu", category: Authentication Authorization, corr: A, msg: "Permission check failed. asking for 0x10000, have 0x2000000000"}
      - {t: "10:00:00.10", id: "zq1o", level: Verbose, category: Application Authentication, corr: A, msg: "SPApplicationAuthenticationModule: Application and user token found."}
      - {t: "10:00:00.11", id: "afxwb", level: High, category: CSOM, corr: A, msg: "System.UnauthorizedAccessException: Attempted to perform an unauthorized operation.     at Microsoft.SharePoint.Client.SPClientServiceHost.OnBeginRequest()"}
      - {t: "10:00:00.20", id: "b4ly", category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://sp.contoso.com/_vti_bin/client.svc/web/lists)). Execution Time=201.5"}
    expect: [{verdict: no-right}]
  - name: NEAR MISS the token comes after the exception
    uls:
      - {t: "10:00:00.00", id: "xmnv", category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://sp.contoso.com/_vti_bin/client.svc/web/lists)"}
      - {t: "10:00:00.10", id: "ajmmu", category: Authentication Authorization, corr: A, msg: "Permission check failed. asking for 0x10000, have 0x2000000000"}
      - {t: "10:00:00.11", id: "afxwb", level: High, category: CSOM, corr: A, msg: "System.UnauthorizedAccessException: Attempted to perform an unauthorized operation.     at Microsoft.SharePoint.Client.SPClientServiceHost.OnBeginRequest()"}
      - {t: "10:00:00.12", id: "zq1o", level: Verbose, category: Application Authentication, corr: A, msg: "SPApplicationAuthenticationModule: Application and user token found."}
      - {t: "10:00:00.20", id: "b4ly", category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://sp.contoso.com/_vti_bin/client.svc/web/lists)). Execution Time=201.5"}
    expect: [{verdict: no-right}]
  - name: NEAR MISS the module in a row of another category
    uls:
      - {t: "10:00:00.00", id: "xmnv", category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://sp.contoso.com/_vti_bin/client.svc/web/lists)"}
      - {t: "10:00:00.05", id: "zq1o", level: Verbose, category: Health, corr: A, msg: "SPApplicationAuthenticationModule: Application and user token found."}
      - {t: "10:00:00.10", id: "ajmmu", category: Authentication Authorization, corr: A, msg: "Permission check failed. asking for 0x10000, have 0x2000000000"}
      - {t: "10:00:00.11", id: "afxwb", level: High, category: CSOM, corr: A, msg: "System.UnauthorizedAccessException: Attempted to perform an unauthorized operation.     at Microsoft.SharePoint.Client.SPClientServiceHost.OnBeginRequest()"}
      - {t: "10:00:00.20", id: "b4ly", category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://sp.contoso.com/_vti_bin/client.svc/web/lists)). Execution Time=201.5"}
    expect: [{verdict: no-right}]
  - name: NEAR MISS another row of the category
    uls:
      - {t: "10:00:00.00", id: "xmnv", category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://sp.contoso.com/_vti_bin/client.svc/web/lists)"}
      - {t: "10:00:00.05", id: "zq1o", level: Verbose, category: Application Authentication, corr: A, msg: "No token was sent."}
      - {t: "10:00:00.10", id: "ajmmu", category: Authentication Authorization, corr: A, msg: "Permission check failed. asking for 0x10000, have 0x2000000000"}
      - {t: "10:00:00.11", id: "afxwb", level: High, category: CSOM, corr: A, msg: "System.UnauthorizedAccessException: Attempted to perform an unauthorized operation.     at Microsoft.SharePoint.Client.SPClientServiceHost.OnBeginRequest()"}
      - {t: "10:00:00.20", id: "b4ly", category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://sp.contoso.com/_vti_bin/client.svc/web/lists)). Execution Time=201.5"}
    expect: [{verdict: no-right}]
  - name: NEAR MISS the module in a row that only the most verbose log has
    uls:
      - {t: "10:00:00.00", id: "xmnv", category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://sp.contoso.com/_vti_bin/client.svc/web/lists)"}
      - {t: "10:00:00.05", id: "zq1o", level: VerboseEx, category: Application Authentication, corr: A, msg: "SPApplicationAuthenticationModule: Application and user token found."}
      - {t: "10:00:00.10", id: "ajmmu", category: Authentication Authorization, corr: A, msg: "Permission check failed. asking for 0x10000, have 0x2000000000"}
      - {t: "10:00:00.11", id: "afxwb", level: High, category: CSOM, corr: A, msg: "System.UnauthorizedAccessException: Attempted to perform an unauthorized operation.     at Microsoft.SharePoint.Client.SPClientServiceHost.OnBeginRequest()"}
      - {t: "10:00:00.20", id: "b4ly", category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://sp.contoso.com/_vti_bin/client.svc/web/lists)). Execution Time=201.5"}
    expect: [{verdict: no-right}]
  - name: an application is allowed, and fails later only at the check
    uls:
      - {t: "10:00:00.00", id: "xmnv", category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://sp.contoso.com/_vti_bin/client.svc/web/lists)"}
      - {t: "10:00:00.05", id: "zq1o", level: Verbose, category: Application Authentication, corr: A, msg: "SPApplicationAuthenticationModule: Application and user token found."}
      - {t: "10:00:00.11", id: "afxwb", level: High, category: CSOM, corr: A, msg: "System.UnauthorizedAccessException: Attempted to perform an unauthorized operation.     at Microsoft.SharePoint.Client.SPClientServiceHost.OnBeginRequest()"}
      - {t: "10:00:00.20", id: "b4ly", category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://sp.contoso.com/_vti_bin/client.svc/web/lists)). Execution Time=201.5"}
    expect: []
  - name: NEAR MISS an application is refused by the check, and the call goes on
    uls:
      - {t: "10:00:00.00", id: "xmnv", category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://sp.contoso.com/_vti_bin/client.svc/web/lists)"}
      - {t: "10:00:00.05", id: "zq1o", level: Verbose, category: Application Authentication, corr: A, msg: "SPApplicationAuthenticationModule: Application and user token found."}
      - {t: "10:00:00.10", id: "ajmmu", category: Authentication Authorization, corr: A, msg: "Permission check failed. asking for 0x10000, have 0x2000000000"}
      - {t: "10:00:00.20", id: "b4ly", category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://sp.contoso.com/_vti_bin/client.svc/web/lists)). Execution Time=201.5"}
    expect: []
  - name: PASS a REST call that succeeds
    uls:
      - {t: "10:00:00.00", id: "xmnv", category: Logging Correlation Data, corr: A, msg: "Name=Request (GET:http://sp.contoso.com/_vti_bin/client.svc/web)"}
      - {t: "10:00:00.01", id: "aii1c", level: Verbose, category: CSOM, corr: A, msg: "Checking SPBasePermissions.Open permission"}
      - {t: "10:00:00.09", id: "b4ly", category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (GET:http://sp.contoso.com/_vti_bin/client.svc/web)). Execution Time=90.2"}
    expect: []
  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1035_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1035
tests:
  - name: no Windows identity, after the token cache had none
    uls:
      - {t: "10:00:00.00", id: d52v, level: High, category: Claims Authentication, corr: A, msg: "SPWindowsTokenCacheServiceApplication.GetUserHandle() could not find token for user '0#.w|contoso\\jane.doe'."}
      - {t: "10:00:00.01", id: g220, level: Unexpected, category: Claims Authentication, process: w3wp.exe, pid: "0x2F10", msg: "No windows identity for contoso\\jane.doe."}
      - {t: "10:00:09.00", id: g220, level: Unexpected, category: Claims Authentication, process: w3wp.exe, pid: "0x2F10", msg: "No windows identity for contoso\\jane.doe."}
    expect:
      - {verdict: no-identity, severity: warning, confidence: likely, symptoms: {no_identity: 2, no_token: 1}, captures: {user: "0#.w|contoso\\jane.doe"}}

  - name: g220 alone, in another language
    uls:
      - {t: "10:00:00.01", id: g220, level: Unexpected, category: Claims Authentication, msg: "Keine Windows-Identität für contoso\\jane.doe."}
    expect:
      - {verdict: no-identity, symptoms: {no_identity: 1}}

  - name: the token service refuses the caller
    uls:
      - {t: "10:00:00.00", id: bz7l, category: Claims Authentication, corr: A, msg: "SPSecurityContext.WindowsIdentity: Could not retrieve a valid windows identity for NTName='FABRIKAM\\kim', UPN='kim@fabrikam.local'. UPN is required when Kerberos constrained delegation is used. Exception: System.ServiceModel.Security.SecurityAccessDeniedException: Access is denied.    Server stack trace:      at System.ServiceModel.Channels.ServiceChannel.ThrowIfFaultUnderstood(Message reply, MessageFault fault, String action, MessageVersion version, FaultConverter faultConverter)"}
    expect:
      - {verdict: refused, severity: warning, confidence: likely, symptoms: {refused: 1}, captures: {user: "FABRIKAM\\kim"}}

  - name: refused, with all that follows from it
    uls:
      - {t: "10:00:00.00", id: bz7l, category: Claims Authentication, corr: A, split: 60, msg: "SPSecurityContext.WindowsIdentity: Es gibt keine Windows-Identität für NTName='FABRIKAM\\kim'. System.ServiceModel.Security.SecurityAccessDeniedException: Zugriff verweigert."}
      - {t: "10:00:00.00", id: d52v, level: High, category: Claims Authentication, corr: A, msg: "SPWindowsTokenCacheServiceApplication.GetUserHandle() could not find token for user '0#.w|fabrikam\\kim'."}
      - {t: "10:00:00.01", id: g220, level: Unexpected, category: Claims Authentication, msg: "No windows identity for fabrikam\\kim."}
    expect:
      - {verdict: refused, symptoms: {refused: 1, no_identity: 1, no_token: 1}}

  - name: a paste of the row with single blanks
    paste: |
      03/18/2014 16:39:50.38 w3wp.exe (0x4711) 0x3A58 SharePoint Foundation Claims Authentication g220 Unexpected No windows identity for contoso\jane.
    expect:
      - {verdict: no-identity, symptoms: {no_identity: 1}}

  - name: NEAR MISS the account of a service
    each: {account: ["nt authority\\iusr", "network service", "local service", "iis apppool\\portal", "S-1-5-18", "s-1-5-19", "s-1-5-20"]}
    uls:
      - {t: "10:00:00.01", id: g220, level: Unexpected, category: Claims Authentication, msg: "No windows identity for <account>."}
    expect: []

  - name: NEAR MISS the token cache alone had none
    uls:
      - {t: "10:00:00.00", id: d52v, level: High, category: Claims Authentication, corr: A, msg: "SPWindowsTokenCacheServiceApplication.GetUserHandle() could not find token for user '0#.w|contoso\\jane'."}
    expect: []

  - name: NEAR MISS the same texts under other IDs
    uls:
      - {t: "10:00:00.00", id: zq1a, level: Unexpected, category: Claims Authentication, msg: "No windows identity for contoso\\jane."}
      - {t: "10:00:00.00", id: zq1b, category: Claims Authentication, msg: "Could not retrieve a valid windows identity for NTName='FABRIKAM\\kim': System.ServiceModel.Security.SecurityAccessDeniedException: Access is denied."}
      - {t: "10:00:00.00", id: zq1c, level: High, category: Claims Authentication, msg: "GetUserHandle() could not find token for user '0#.w|contoso\\jane'."}
    expect: []

  - name: NEAR MISS bz7l without a refusal is usual
    uls:
      - {t: "10:00:00.00", id: bz7l, category: Claims Authentication, corr: A, msg: "SPSecurityContext.WindowsIdentity: Could not retrieve a valid windows identity for NTName='FABRIKAM\\kim', UPN='kim@fabrikam.local'. UPN is required when Kerberos constrained delegation is used."}
    expect: []

  - name: PASS a sign-in
    uls:
      - {t: "10:00:00.00", id: af3y9, category: Claims Authentication, corr: A, msg: "STS Call Claims Windows: Successfully requested sign-in claim identity on behalf of user '0#.w|contoso\\jane'."}
    expect: []

  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1037_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1037
tests:
  - name: a user of the trusted forest is not found, another request in between
    uls:
      - {t: "10:00:00.00", id: "xmnv", category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://sp.contoso.com/_layouts/15/aclinv.aspx)"}
      - {t: "10:00:00.10", id: "72e1", level: High, corr: A, msg: "Unable to get domain DNS or forest DNS for domain FABRIKAM. ErrorCode=1355"}
      - {t: "10:00:00.11", id: "xmnv", category: Logging Correlation Data, corr: B, msg: "Name=Request (GET:http://sp.contoso.com/)"}
      - {t: "10:00:00.12", id: "72e9", corr: A, split: 70, msg: "Error in resolving user 'FABRIKAM\\jdoe' : System.ArgumentException: Specified value is not supported for the {0} parameter.     at Microsoft.SharePoint.Utilities.SPUserUtility.GetDomainControllerToSearch(SPWebApplication webApp, String domainName)     at Microsoft.SharePoint.Utilities.SPUtility.ResolvePrincipalInternal(SPWeb web)"}
      - {t: "10:00:00.20", id: "b4ly", category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://sp.contoso.com/_layouts/15/aclinv.aspx)). Execution Time=203"}
    expect:
      - verdict: domain-not-found
        severity: error
        confidence: likely
        symptoms: {lookup_failed: 1}
        captures: {domain: FABRIKAM, user: "FABRIKAM\\jdoe"}
        message: "The people picker finds no domain controller for FABRIKAM: Windows cannot resolve its NetBIOS name (error 1355), so FABRIKAM\\jdoe is not found."
  - name: the text of the exception is translated
    uls:
      - {t: "10:00:00.10", id: "72e1", level: High, corr: A, msg: "Unable to get domain DNS or forest DNS for domain FABRIKAM. ErrorCode=1355"}
      - {t: "10:00:00.12", id: "72e9", corr: A, msg: "Error in resolving user 'FABRIKAM\\jdoe' : System.ArgumentException: Der angegebene Wert wird nicht unterstützt.     bei Microsoft.SharePoint.Utilities.SPUserUtility.GetDomainControllerToSearch(SPWebApplication webApp, String domainName)"}
    expect: [{verdict: domain-not-found, captures: {domain: FABRIKAM}}]
  - name: a paste without times and correlations
    paste: |
      w3wp.exe (0x0C4C) 0x1B20 SharePoint Foundation General 72e1 High Unable to get domain DNS or forest DNS for domain FABRIKAM. ErrorCode=1355
      w3wp.exe (0x0C4C) 0x1B20 SharePoint Foundation General 72e9 Medium Error in resolving user 'FABRIKAM\jdoe' : System.ArgumentException: Specified value is not supported for the {0} parameter. at Microsoft.SharePoint.Utilities.SPUserUtility.GetDomainControllerToSearch(SPWebApplication webApp, String domainName)
    expect: [{verdict: domain-not-found, captures: {domain: FABRIKAM, user: "FABRIKAM\\jdoe"}}]
  - name: row 72e1 alone, twice in one request and once in another
    uls:
      - {t: "10:00:00.00", id: "xmnv", category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://sp.contoso.com/_layouts/15/aclinv.aspx)"}
      - {t: "10:00:00.00", id: "xmnv", category: Logging Correlation Data, corr: B, msg: "Name=Request (POST:http://sp.contoso.com/_layouts/15/aclinv.aspx)"}
      - {t: "10:00:00.10", id: "72e1", level: High, corr: A, msg: "Unable to get domain DNS or forest DNS for domain FABRIKAM. ErrorCode=1355"}
      - {t: "10:00:00.11", id: "72e1", level: High, corr: A, msg: "Unable to get domain DNS or forest DNS for domain FABRIKAM. ErrorCode=1355"}
      - {t: "10:00:00.12", id: "72e1", level: High, corr: B, msg: "Unable to get domain DNS or forest DNS for domain FABRIKAM. ErrorCode=1355"}
      - {t: "10:00:00.20", id: "b4ly", category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://sp.contoso.com/_layouts/15/aclinv.aspx)). Execution Time=203"}
      - {t: "10:00:00.20", id: "b4ly", category: Monitoring, corr: B, msg: "Leaving Monitored Scope (Request (POST:http://sp.contoso.com/_layouts/15/aclinv.aspx)). Execution Time=203"}
    expect: [{verdict: domain-unknown, symptoms: {no_domain: 2}}]
  - name: NEAR MISS another error than 1355
    uls:
      - {t: "10:00:00.00", id: "xmnv", category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://sp.contoso.com/_layouts/15/aclinv.aspx)"}
      - {t: "10:00:00.10", id: "72e1", level: High, corr: A, msg: "Unable to get domain DNS or forest DNS for domain FABRIKAM. ErrorCode=5"}
      - {t: "10:00:00.12", id: "72e9", corr: A, msg: "Error in resolving user 'FABRIKAM\\jdoe' : System.ArgumentException: Specified value is not supported.     at Microsoft.SharePoint.Utilities.SPUserUtility.GetDomainControllerToSearch(SPWebApplication webApp, String domainName)"}
      - {t: "10:00:00.20", id: "b4ly", category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://sp.contoso.com/_layouts/15/aclinv.aspx)). Execution Time=203"}
    expect: []
  - name: NEAR MISS the lookup in a row of another event
    uls:
      - {t: "10:00:00.00", id: "xmnv", category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://sp.contoso.com/_layouts/15/aclinv.aspx)"}
      - {t: "10:00:00.10", id: "72e2", level: High, corr: A, msg: "Unable to get domain DNS or forest DNS for domain FABRIKAM. ErrorCode=1355"}
      - {t: "10:00:00.12", id: "72e9", corr: A, msg: "Error in resolving user 'FABRIKAM\\jdoe' : System.ArgumentException: Specified value is not supported.     at Microsoft.SharePoint.Utilities.SPUserUtility.GetDomainControllerToSearch(SPWebApplication webApp, String domainName)"}
      - {t: "10:00:00.20", id: "b4ly", category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://sp.contoso.com/_layouts/15/aclinv.aspx)). Execution Time=203"}
    expect: []
  - name: NEAR MISS the user is not found for another reason
    uls:
      - {t: "10:00:00.00", id: "xmnv", category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://sp.contoso.com/_layouts/15/aclinv.aspx)"}
      - {t: "10:00:00.10", id: "72e1", level: High, corr: A, msg: "Unable to get domain DNS or forest DNS for domain FABRIKAM. ErrorCode=1355"}
      - {t: "10:00:00.12", id: "72e9", corr: A, msg: "Error in resolving user 'CONTOSO\\jdoe' : System.DirectoryServices.DirectoryServicesCOMException (0x8007203B): A local error has occurred.     at System.DirectoryServices.DirectoryEntry.Bind(Boolean throwIfFail)"}
      - {t: "10:00:00.20", id: "b4ly", category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://sp.contoso.com/_layouts/15/aclinv.aspx)). Execution Time=203"}
    expect: [{verdict: domain-unknown, severity: warning, confidence: likely, symptoms: {no_domain: 1}}]
  - name: NEAR MISS the frame in a row of another event
    uls:
      - {t: "10:00:00.00", id: "xmnv", category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://sp.contoso.com/_layouts/15/aclinv.aspx)"}
      - {t: "10:00:00.10", id: "72e1", level: High, corr: A, msg: "Unable to get domain DNS or forest DNS for domain FABRIKAM. ErrorCode=1355"}
      - {t: "10:00:00.12", id: "tzkv", corr: A, msg: "at Microsoft.SharePoint.Utilities.SPUserUtility.GetDomainControllerToSearch(SPWebApplication webApp, String domainName)"}
      - {t: "10:00:00.20", id: "b4ly", category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://sp.contoso.com/_layouts/15/aclinv.aspx)). Execution Time=203"}
    expect: [{verdict: domain-unknown, severity: warning, confidence: likely, symptoms: {no_domain: 1}}]
  - name: NEAR MISS the domain is not found but the user is
    uls:
      - {t: "10:00:00.00", id: "xmnv", category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://sp.contoso.com/_layouts/15/aclinv.aspx)"}
      - {t: "10:00:00.10", id: "72e1", level: High, corr: A, msg: "Unable to get domain DNS or forest DNS for domain FABRIKAM. ErrorCode=1355"}
      - {t: "10:00:00.20", id: "b4ly", category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://sp.contoso.com/_layouts/15/aclinv.aspx)). Execution Time=203"}
    expect: [{verdict: domain-unknown, severity: warning, confidence: likely, symptoms: {no_domain: 1}, message: "Windows finds no domain controller for FABRIKAM (error 1355); that the people picker fails is not in the log. A mistyped domain looks the same."}]
  - name: NEAR MISS the two rows in the other order
    uls:
      - {t: "10:00:00.00", id: "xmnv", category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://sp.contoso.com/_layouts/15/aclinv.aspx)"}
      - {t: "10:00:00.10", id: "72e9", corr: A, msg: "Error in resolving user 'FABRIKAM\\jdoe' : System.ArgumentException: Specified value is not supported.     at Microsoft.SharePoint.Utilities.SPUserUtility.GetDomainControllerToSearch(SPWebApplication webApp, String domainName)"}
      - {t: "10:00:00.12", id: "72e1", level: High, corr: A, msg: "Unable to get domain DNS or forest DNS for domain FABRIKAM. ErrorCode=1355"}
      - {t: "10:00:00.20", id: "b4ly", category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://sp.contoso.com/_layouts/15/aclinv.aspx)). Execution Time=203"}
    expect: [{verdict: domain-unknown, severity: warning, confidence: likely, symptoms: {no_domain: 1}}]
  - name: NEAR MISS the two rows in two requests
    uls:
      - {t: "10:00:00.00", id: "xmnv", category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://sp.contoso.com/_layouts/15/aclinv.aspx)"}
      - {t: "10:00:00.01", id: "xmnv", category: Logging Correlation Data, corr: B, msg: "Name=Request (POST:http://sp.contoso.com/_layouts/15/people.aspx)"}
      - {t: "10:00:00.10", id: "72e1", level: High, corr: A, msg: "Unable to get domain DNS or forest DNS for domain FABRIKAM. ErrorCode=1355"}
      - {t: "10:00:00.12", id: "72e9", corr: B, msg: "Error in resolving user 'FABRIKAM\\jdoe' : System.ArgumentException: Specified value is not supported.     at Microsoft.SharePoint.Utilities.SPUserUtility.GetDomainControllerToSearch(SPWebApplication webApp, String domainName)"}
      - {t: "10:00:00.20", id: "b4ly", category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://sp.contoso.com/_layouts/15/aclinv.aspx)). Execution Time=203"}
      - {t: "10:00:00.21", id: "b4ly", category: Monitoring, corr: B, msg: "Leaving Monitored Scope (Request (POST:http://sp.contoso.com/_layouts/15/people.aspx)). Execution Time=203"}
    expect: [{verdict: domain-unknown, severity: warning, confidence: likely, symptoms: {no_domain: 1}}]
  - name: PASS a user is found
    uls:
      - {t: "10:00:00.00", id: "xmnv", category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://sp.contoso.com/_layouts/15/aclinv.aspx)"}
      - {t: "10:00:00.20", id: "b4ly", category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://sp.contoso.com/_layouts/15/aclinv.aspx)). Execution Time=203"}
    expect: []
  - name: NOT EVALUATED the log begins in the middle of the request
    uls:
      - {t: "10:00:00.12", id: "72e9", corr: A, msg: "Error in resolving user 'FABRIKAM\\jdoe' : System.ArgumentException: Specified value is not supported.     at Microsoft.SharePoint.Utilities.SPUserUtility.GetDomainControllerToSearch(SPWebApplication webApp, String domainName)"}
      - {t: "10:00:00.20", id: "b4ly", category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://sp.contoso.com/_layouts/15/aclinv.aspx)). Execution Time=203"}
    expect: not_evaluated
  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1043_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1043
tests:
  - name: an alternate access mapping is not saved
    uls:
      - {t: "10:00:00.00", id: "8xqz", category: Topology, corr: A, msg: "Updating SPPersistedObject SPAlternateUrlCollection Name=Intranet Parent=SPFarm Name=SP_Config. Version: 20117 Ensure: 0, HashCode: 1183042, Id: 1d1e2f77-5b9a-4c0e-8f0e-0c2b6c1c9a10, Stack: at Microsoft.SharePoint.Administration.SPPersistedObject.Update()"}
      - {t: "10:00:00.01", id: "75bd", level: High, category: Topology, corr: A, split: 90, msg: "UpdatedConcurrencyException: The object SPAlternateUrlCollection Name=Intranet Parent=SPFarm Name=SP_Config was updated by another user.  Determine if these changes will conflict, resolve any differences, and reapply the second change."}
      - {t: "10:00:00.02", id: "8xqy", level: High, category: Topology, corr: A, msg: "ConcurrencyException: Old Version : 20117 New Version : 0"}
    expect:
      - verdict: one-conflict
        severity: warning
        confidence: likely
        symptoms: {refused: 1}
        captures: {object: "SPAlternateUrlCollection Name=Intranet Parent=SPFarm Name=SP_Config"}
        message: "A change to SPAlternateUrlCollection Name=Intranet Parent=SPFarm Name=SP_Config is refused because another copy of it was saved first (update conflict). Once is usual: the next attempt works."
  - name: a paste that ran two rows together
    paste: |
      Date Time w3wp.exe (0x0F10) 0x1A04 Windows SharePoint Services Topology 8xqz Medium Updating SPPersistedObject SPFarm Name=SP_Config. Version: 4711 Ensure: 0, HashCode: 99, Id: 5f0b0e8e-6a53-4d0c-9d58-9e6f5f1c2a01, Stack: at Microsoft.SharePoint.Administration.SPFarm.Update() 75bdHigh UpdatedConcurrencyException: The object SPFarm Name=SP_Config was updated by another user. Determine if these changes will conflict.
    expect: [{verdict: one-conflict, symptoms: {refused: 1}, captures: {object: "SPFarm Name=SP_Config"}}]
  - name: the text is translated
    uls:
      - {t: "10:00:00.01", id: "75bd", level: High, category: Topology, corr: A, msg: "UpdatedConcurrencyException: Das Objekt SPFarm Name=SP_Config wurde von einem anderen Benutzer aktualisiert."}
    expect:
      - verdict: one-conflict
        message: "A change to a configuration object is refused because another copy of it was saved first (update conflict). Once is usual: the next attempt works."
  - name: changes to one object are refused again and again
    uls:
      - {t: "10:00:00.00", times: 3, every: 5m, id: "75bd", level: High, category: Topology, corr: "R<n>", msg: "UpdatedConcurrencyException: The object SPFarm Name=SP_Config is being updated by CONTOSO\\farm, in the OWSTIMER process, on machine APP1.  View the tracing log for more information about the conflict."}
    expect:
      - {verdict: update-conflict, severity: error, confidence: likely, symptoms: {refused: 3}, captures: {object: "SPFarm Name=SP_Config"}, count: 3}
  - name: NEAR MISS two conflicts of one object, and those of others
    uls:
      - {t: "10:00:00.00", times: 2, every: 1m, id: "75bd", level: High, category: Topology, corr: "R<n>", msg: "UpdatedConcurrencyException: The object SPFarm Name=SP_Config was updated by CONTOSO\\farm"}
      - {t: "10:03:00.00", times: 2, every: 1m, id: "75bd", level: High, category: Topology, corr: "S<n>", msg: "UpdatedConcurrencyException: The object SPServer Name=APP1 was updated by CONTOSO\\farm"}
    expect:
      - {verdict: one-conflict, symptoms: {refused: 2}, captures: {object: "SPFarm Name=SP_Config"}}
      - {verdict: one-conflict, symptoms: {refused: 2}, captures: {object: "SPServer Name=APP1"}}
  - name: NEAR MISS conflicts of one object that are rare
    uls:
      - {t: "10:00:00.00", times: 5, every: 6m, id: "75bd", level: High, category: Topology, corr: "R<n>", msg: "UpdatedConcurrencyException: The object SPFarm Name=SP_Config was updated by CONTOSO\\farm"}
    expect: [{verdict: one-conflict, symptoms: {refused: 5}}]
  - name: two upgrades meet, each of the two rows
    each: {tag: ["75bd", "8xqz"]}
    uls:
      - {t: "10:00:00.00", times: 3, every: 1m, id: "<tag>", level: High, category: Topology, corr: "R<n>", msg: "UpdatedConcurrencyException: The object SPUpgradeSession Name=Upgrade-20240311-100000-1 Parent=SPFarm Name=SP_Config is being updated by CONTOSO\\setup, in the PSCONFIG process, on machine APP1."}
    expect:
      - {verdict: upgrade-session, severity: warning, confidence: likely, symptoms: {upgrade: 3}, captures: {object: "SPUpgradeSession Name=Upgrade-20240311-100000-1 Parent=SPFarm Name=SP_Config"}}
  - name: two upgrades meet, in the words of older versions
    uls:
      - {t: "10:00:00.00", id: "75bd", level: High, category: Topology, corr: A, msg: "UpdatedConcurrencyException: The object SPUpgradeSession Name=U1 was updated by CONTOSO\\setup"}
    expect:
      - {verdict: upgrade-session, captures: {object: "SPUpgradeSession Name=U1"}}
  - name: two upgrades and another change meet, in another language
    uls:
      - {t: "10:00:00.00", id: "75bd", level: High, category: Topology, corr: A, msg: "UpdatedConcurrencyException: Das Objekt SPUpgradeSession Name=U1 wurde aktualisiert."}
      - {t: "10:00:01.00", id: "75bd", level: High, category: Topology, corr: B, msg: "UpdatedConcurrencyException: Das Objekt SPFarm Name=SP_Config wurde aktualisiert."}
    expect: [{verdict: upgrade-session, symptoms: {upgrade: 1, refused: 1}}]
  - name: an upgrade meets another, and a change is refused again and again
    uls:
      - {t: "10:00:00.00", id: "75bd", level: High, category: Topology, corr: A, msg: "UpdatedConcurrencyException: Das Objekt SPUpgradeSession Name=U1 wurde aktualisiert."}
      - {t: "10:00:01.00", times: 3, id: "75bd", level: High, category: Topology, corr: "R<n>", msg: "UpdatedConcurrencyException: Das Objekt SPFarm Name=SP_Config wurde aktualisiert."}
    expect: [{verdict: update-conflict, symptoms: {refused: 3}}]
  - name: NEAR MISS an upgrade is saved, and another object is in conflict
    uls:
      - {t: "10:00:00.00", id: "8xqz", category: Topology, corr: A, msg: "Updating SPPersistedObject SPUpgradeSession Name=U1. The object SPServer Name=APP1 was updated by CONTOSO\\setup"}
      - {t: "10:00:01.00", id: "75bd", level: High, category: Topology, corr: A, msg: "UpdatedConcurrencyException: The object SPServer Name=APP1 was updated by CONTOSO\\farm"}
      - {t: "10:00:02.00", id: "zq1a", level: High, category: Topology, corr: A, msg: "UpdatedConcurrencyException: The object SPUpgradeSession Name=U1 was updated by CONTOSO\\setup. The object SPServer Name=APP1 was updated by"}
    expect: [{verdict: one-conflict, symptoms: {refused: 1}}]
  - name: NEAR MISS a change that is saved
    each: {tag: ["8xqz", "75bd"]}
    uls:
      - {t: "10:00:00.00", id: "<tag>", category: Topology, corr: A, msg: "Updating SPPersistedObject SPAlternateUrlCollection Name=Intranet Parent=SPFarm Name=SP_Config. Version: 20117 Ensure: 0, HashCode: 1183042, Id: 1d1e2f77-5b9a-4c0e-8f0e-0c2b6c1c9a10, Stack: at Microsoft.SharePoint.Administration.SPPersistedObject.Update()"}
    expect: []
  - name: NEAR MISS the exception in a row of another event
    uls:
      - {t: "10:00:00.01", id: "ajlz0", level: High, corr: A, msg: "Getting Error Message for Exception Microsoft.SharePoint.Administration.SPUpdatedConcurrencyException: An update conflict has occurred, and you must re-try this action."}
    expect: []
  - name: PASS rows of the category without a conflict
    uls:
      - {t: "10:00:00.00", id: "8e2r", category: Topology, corr: A, msg: "Possible mismatch between the reported error with code = 0 and the service application."}
    expect: []
  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1047_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1047
tests:
  - name: a query is rolled back
    uls:
      - {t: "10:00:00.00", id: "6f8g", level: Unexpected, category: Database, corr: A, split: 100, process: Microsoft.Office.Project.Server, msg: 'Unexpected query execution failure, error code 1205. Additional error information from SQL Server is included below. "Transaction (Process ID 88) was deadlocked on lock resources with another process and has been chosen as the deadlock victim. Rerun the transaction." Query text (if available): "{?=call proc_SecRemovePrincipalFromScope(?,?,?)}"'}
    expect:
      - verdict: deadlock
        severity: warning
        confidence: likely
        symptoms: {victims: 1}
        captures: {procedure: proc_SecRemovePrincipalFromScope}
        message: "SQL Server ended proc_SecRemovePrincipalFromScope as a deadlock victim (error 1205); its changes were rolled back. Most callers try again by themselves."
  - name: SQL Server speaks another language, and the query is not known
    uls:
      - {t: "10:00:00.00", id: "6f8g", level: Unexpected, category: Database, corr: A, msg: 'Unexpected query execution failure, error code 1205. Additional error information from SQL Server is included below. "Die Transaktion (Prozess-ID 88) wurde als Deadlockopfer ausgewählt."'}
    expect: [{verdict: deadlock, message: "SQL Server ended a query as a deadlock victim (error 1205); its changes were rolled back. Most callers try again by themselves."}]
  - name: a paste with blanks for tabs
    paste: |
      11/04/2009 08:14:02.11 Microsoft.Office.Project.Server (0x0B14)   0x0E20 Windows SharePoint Services     Database                                  6f8g      Unexpected       Unexpected query execution failure, error code 1205. Additional error information from SQL Server is included below. "Transaction (Process ID 77) was deadlocked on lock resources with another process and has been chosen as the deadlock victim. Rerun the transaction." Query text (if available): "{?=call proc_SecAddUser(?,?)}"
    expect: [{verdict: deadlock, captures: {procedure: proc_SecAddUser}}]
  - name: deadlocks come often
    uls:
      - {t: "10:00:00.00", times: 10, every: 1m, id: "6f8g", level: Unexpected, category: Database, corr: "R<n>", msg: 'Unexpected query execution failure, error code 1205. Query text (if available): "{?=call proc_SecAddUser(?,?)}"'}
    expect:
      - {verdict: deadlocks, severity: error, confidence: likely, symptoms: {victims: 10}, count: 10}
  - name: NEAR MISS nine deadlocks of jobs, which try again
    uls:
      - {t: "10:00:00.00", times: 9, every: 1s, id: "6f8g", level: Unexpected, category: Database, corr: "R<n>", msg: "Unexpected query execution failure, error code 1205."}
    expect: [{verdict: deadlock, severity: warning, symptoms: {victims: 9}}]
  - name: NEAR MISS deadlocks that are rare
    uls:
      - {t: "10:00:00.00", times: 12, every: 5m, id: "6f8g", level: Unexpected, category: Database, corr: "R<n>", msg: "Unexpected query execution failure, error code 1205."}
    expect: [{verdict: deadlock, severity: warning, symptoms: {victims: 12}}]
  - name: the rows of later versions
    uls:
      - {t: "10:00:00.00", id: "5586", level: Critical, category: Database, corr: A, msg: "Unknown SQL Exception 1205 occurred. Additional error information from SQL Server is included below.  Transaction (Process ID 70) was deadlocked on lock resources with another process and has been chosen as the deadlock victim."}
      - {t: "10:00:01.00", id: "tzkx", level: High, category: Database, corr: A, msg: "SqlError: 'Transaction (Process ID 70) was deadlocked.'    Source: '.Net SqlClient Data Provider' Number: 1205 State: 51 Class: 13 Procedure: 'proc_UpdateListItem' LineNumber: 12 Server: 'SQL1'"}
    expect: [{verdict: deadlock, symptoms: {victims: 2}, captures: {procedure: proc_UpdateListItem}}]
  - name: the row of later versions with the errors of the query, at each level from High on
    each: {level: [Unexpected, High]}
    uls:
      - {t: "10:00:01.00", id: "zq1a", level: "<level>", category: Database, corr: A, msg: "SqlError: 'x' Source: '.Net SqlClient Data Provider' Number: 1205 State: 51 Class: 13 Procedure: '' LineNumber: 1 Server: ''"}
    expect: [{verdict: deadlock, symptoms: {victims: 1}}]
  - name: the event of later versions alone
    uls:
      - {t: "10:00:00.00", id: "5586", level: Critical, category: Database, corr: A, msg: "Unknown SQL Exception 1205 occurred."}
    expect: [{verdict: deadlock, symptoms: {victims: 1}}]
  - name: NEAR MISS other errors, categories and levels of later versions
    uls:
      - {t: "10:00:00.00", id: "5586", level: Critical, category: Database, corr: A, msg: "Unknown SQL Exception 12051 occurred. Additional error information from SQL Server is included below."}
      - {t: "10:00:01.00", id: "5586", level: Critical, category: Contoso, corr: A, msg: "Unknown SQL Exception 1205 occurred."}
      - {t: "10:00:02.00", id: "5587", level: Critical, category: Database, corr: A, msg: "Unknown SQL Exception 1205 occurred."}
      - {t: "10:00:03.00", id: "tzkx", level: High, category: Database, corr: A, msg: "SqlError: 'Lock request time out period exceeded.' Number: 1222 State: 51 Class: 13 Procedure: 'proc_UpdateListItem'"}
      - {t: "10:00:04.00", id: "tzkx", level: Medium, category: Database, corr: A, msg: "Number: 1205 State: 51 Class: 13 Procedure: 'proc_UpdateListItem'"}
      - {t: "10:00:05.00", id: "tzkx", level: High, category: Contoso, corr: A, msg: "Number: 1205 State: 51 Class: 13 Procedure: 'proc_UpdateListItem'"}
    expect: []
  - name: NEAR MISS another error of SQL Server
    uls:
      - {t: "10:00:00.00", id: "6f8g", level: Unexpected, category: Database, corr: A, msg: 'Unexpected query execution failure, error code 1222. Additional error information from SQL Server is included below. "Lock request time out period exceeded." Query text (if available): "{?=call proc_SecAddUser(?,?)}"'}
    expect: []
  - name: NEAR MISS an error whose number only begins with 1205
    uls:
      - {t: "10:00:00.00", id: "6f8g", level: Unexpected, category: Database, corr: A, msg: 'Unexpected query execution failure, error code 12050. Additional error information from SQL Server is included below.'}
    expect: []
  - name: NEAR MISS the text in a row of another event
    uls:
      - {t: "10:00:00.00", id: "880i", level: High, category: Database, corr: A, msg: "Unexpected query execution failure, error code 1205. A retry succeeded."}
    expect: []
  - name: PASS a slow query
    uls:
      - {t: "10:00:00.00", id: "fa43", level: High, category: Database, corr: A, msg: "Slow Query Duration: 1205.4"}
    expect: []
  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1048_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1048
tests:
  - name: a slow query with database and statement, other requests between
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (GET:http://portal.contoso.local:80/)"}
      - {t: "10:00:04.71", id: fa43, level: High, category: Database, corr: A, msg: "Slow Query Duration: 45127.3"}
      - {t: "10:00:04.71", id: fa44, level: High, category: Database, corr: A, msg: "Slow Query StackTrace-Managed:    at Microsoft.SharePoint.Utilities.SqlSession.OnPostExecuteCommand(SqlCommand command, SqlQueryData monitoringData)     at Microsoft.SharePoint.SPSqlClient.ExecuteQuery(Boolean retryfordeadlock)"}
      - {t: "10:00:04.71", id: tzku, level: High, category: Database, corr: B, msg: "ConnectionString: 'Data Source=SQL2;Initial Catalog=WSS_Other;Integrated Security=True'"}
      - {t: "10:00:04.72", id: tzku, level: High, category: Database, corr: A, split: 60, msg: "ConnectionString: 'Data Source=SQL1;Initial Catalog=WSS_Content_HR;Integrated Security=True;Enlist=False;Connect Timeout=15'    Partition: 8a0c3d11-2f57-4c0e-9f44-bb6b9d0b7c21 ConnectionState: Open ConnectionTimeout: 15"}
      - {t: "10:00:04.72", id: tzkv, level: High, category: Database, corr: A, msg: "SqlCommand: 'proc_GetListItems'     CommandType: StoredProcedure CommandTimeout: 0     Parameter: '@RETURN_VALUE' Type: Int Size: 0 Direction: ReturnValue Value: ''"}
      - {t: "10:00:05.00", id: b4ly, category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (GET:http://portal.contoso.local:80/)). Execution Time=5000"}
    expect:
      - {verdict: located, severity: warning, confidence: likely, symptoms: {very_slow: 1}, captures: {duration: "45127.3", database_server: SQL1, database: WSS_Content_HR, statement: proc_GetListItems}}

  - name: a slow query of a job, whose rows have no correlation
    uls:
      - {t: "10:00:04.71", id: fa43, level: High, category: Database, process: OWSTIMER.EXE, msg: "Slow Query Duration: 16001,25"}
      - {t: "10:00:04.72", id: tzku, level: High, category: Database, process: OWSTIMER.EXE, msg: "ConnectionString: 'Data Source=SQL1;Initial Catalog=WSS_Config;Integrated Security=True'"}
      - {t: "10:00:04.72", id: tzkv, level: High, category: Database, process: OWSTIMER.EXE, msg: "SqlCommand: 'proc_dummy'     CommandType: StoredProcedure"}
    expect:
      - {verdict: located, symptoms: {very_slow: 1}, captures: {database: WSS_Config}}

  - name: the duration alone, in another language
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (GET:http://portal.contoso.local:80/)"}
      - {t: "10:00:04.71", id: fa43, level: High, category: Database, corr: A, msg: "Dauer der langsamen Abfrage: 45127,3"}
      - {t: "10:00:05.00", id: b4ly, category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (GET:http://portal.contoso.local:80/)). Execution Time=5000"}
    expect:
      - {verdict: slow, severity: warning, confidence: likely, symptoms: {very_slow: 1}}

  - name: NEAR MISS the connection belongs to another request
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (GET:http://portal.contoso.local:80/)"}
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: B, msg: "Name=Request (GET:http://portal.contoso.local:80/b.aspx)"}
      - {t: "10:00:04.71", id: fa43, level: High, category: Database, corr: A, msg: "Slow Query Duration: 45127.3"}
      - {t: "10:00:04.72", id: tzku, level: High, category: Database, corr: B, msg: "ConnectionString: 'Data Source=SQL1;Initial Catalog=WSS_Content_HR;Integrated Security=True'"}
      - {t: "10:00:04.72", id: tzkv, level: High, category: Database, corr: B, msg: "SqlCommand: 'proc_GetListItems'     CommandType: StoredProcedure"}
      - {t: "10:00:05.00", id: b4ly, category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (GET:http://portal.contoso.local:80/)). Execution Time=5000"}
      - {t: "10:00:05.00", id: b4ly, category: Monitoring, corr: B, msg: "Leaving Monitored Scope (Request (GET:http://portal.contoso.local:80/b.aspx)). Execution Time=5000"}
    expect:
      - {verdict: slow, symptoms: {very_slow: 1}}

  - name: NEAR MISS a part of the rows is missing, or in another order
    each:
      second: [tzku, tzkv]
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (GET:http://portal.contoso.local:80/)"}
      - {t: "10:00:04.70", id: tzkv, level: High, category: Database, corr: A, msg: "SqlCommand: 'proc_GetListItems'     CommandType: StoredProcedure"}
      - {t: "10:00:04.71", id: fa43, level: High, category: Database, corr: A, msg: "Slow Query Duration: 45127.3"}
      - {t: "10:00:04.71", id: fa44, level: High, category: Database, corr: A, msg: "Slow Query StackTrace-Managed:    at Microsoft.SharePoint.SPSqlClient.ExecuteQuery(Boolean retryfordeadlock)"}
      - {t: "10:00:04.72", id: "<second>", level: High, category: Database, corr: A, msg: "ConnectionString: 'Data Source=SQL1;Initial Catalog=WSS_Content_HR;Integrated Security=True' SqlCommand: 'proc_GetListItems'"}
      - {t: "10:00:04.73", id: fa44, level: High, category: Database, corr: A, msg: "Slow Query StackTrace-Managed:    at Microsoft.SharePoint.SPSqlClient.ExecuteQuery(Boolean retryfordeadlock)"}
      - {t: "10:00:05.00", id: b4ly, category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (GET:http://portal.contoso.local:80/)). Execution Time=5000"}
    expect:
      - {verdict: slow, symptoms: {very_slow: 1}}

  - name: NEAR MISS the connection comes before the duration
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (GET:http://portal.contoso.local:80/)"}
      - {t: "10:00:04.70", id: tzku, level: High, category: Database, corr: A, msg: "ConnectionString: 'Data Source=SQL1;Initial Catalog=WSS_Content_HR;Integrated Security=True'"}
      - {t: "10:00:04.71", id: fa43, level: High, category: Database, corr: A, msg: "Slow Query Duration: 45127.3"}
      - {t: "10:00:04.72", id: tzkv, level: High, category: Database, corr: A, msg: "SqlCommand: 'proc_GetListItems'     CommandType: StoredProcedure"}
      - {t: "10:00:05.00", id: b4ly, category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (GET:http://portal.contoso.local:80/)). Execution Time=5000"}
    expect:
      - {verdict: slow, symptoms: {very_slow: 1}}

  - name: NEAR MISS rows of a farm that logs each query, the connection
    each: {level: [Medium, Verbose]}
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (GET:http://portal.contoso.local:80/)"}
      - {t: "10:00:04.71", id: fa43, level: High, category: Database, corr: A, msg: "Slow Query Duration: 45127.3"}
      - {t: "10:00:04.72", id: tzku, level: "<level>", category: Database, corr: A, msg: "ConnectionString: 'Data Source=SQL1;Initial Catalog=WSS_Content_HR;Integrated Security=True'"}
      - {t: "10:00:04.72", id: tzkv, level: High, category: Database, corr: A, msg: "SqlCommand: 'proc_GetListItems'     CommandType: StoredProcedure"}
      - {t: "10:00:05.00", id: b4ly, category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (GET:http://portal.contoso.local:80/)). Execution Time=5000"}
    expect:
      - {verdict: slow, symptoms: {very_slow: 1}}

  - name: NEAR MISS rows of a farm that logs each query, the statement
    each: {level: [Medium, Verbose]}
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (GET:http://portal.contoso.local:80/)"}
      - {t: "10:00:04.71", id: fa43, level: High, category: Database, corr: A, msg: "Slow Query Duration: 45127.3"}
      - {t: "10:00:04.72", id: tzku, level: High, category: Database, corr: A, msg: "ConnectionString: 'Data Source=SQL1;Initial Catalog=WSS_Content_HR;Integrated Security=True'"}
      - {t: "10:00:04.72", id: tzkv, level: "<level>", category: Database, corr: A, msg: "SqlCommand: 'proc_GetListItems'     CommandType: StoredProcedure"}
      - {t: "10:00:05.00", id: b4ly, category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (GET:http://portal.contoso.local:80/)). Execution Time=5000"}
    expect:
      - {verdict: slow, symptoms: {very_slow: 1}}

  - name: NEAR MISS the connection is written down much later
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (GET:http://portal.contoso.local:80/)"}
      - {t: "10:00:04.71", id: fa43, level: High, category: Database, corr: A, msg: "Slow Query Duration: 45127.3"}
      - {t: "10:00:34.72", id: tzku, level: High, category: Database, corr: A, msg: "ConnectionString: 'Data Source=SQL1;Initial Catalog=WSS_Content_HR;Integrated Security=True'"}
      - {t: "10:00:34.72", id: tzkv, level: High, category: Database, corr: A, msg: "SqlCommand: 'proc_GetListItems'     CommandType: StoredProcedure"}
      - {t: "10:00:35.00", id: b4ly, category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (GET:http://portal.contoso.local:80/)). Execution Time=35000"}
    expect:
      - {verdict: slow, symptoms: {very_slow: 1}}

  - name: NEAR MISS the same texts under other IDs, and fa45, which has another cause
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (GET:http://portal.contoso.local:80/)"}
      - {t: "10:00:04.71", id: zq1a, level: High, category: Database, corr: A, msg: "Slow Query Duration: 45127.3"}
      - {t: "10:00:04.71", id: fa45, level: High, category: Database, corr: A, msg: "System.TypeInitializationException: The type initializer for 'System.Data.SqlClient.SqlConnection' threw an exception."}
      - {t: "10:00:04.72", id: tzku, level: High, category: Database, corr: A, msg: "ConnectionString: 'Data Source=SQL1;Initial Catalog=WSS_Content_HR;Integrated Security=True'"}
      - {t: "10:00:04.72", id: tzkv, level: High, category: Database, corr: A, msg: "SqlCommand: 'proc_GetListItems'     CommandType: StoredProcedure"}
      - {t: "10:00:05.00", id: b4ly, category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (GET:http://portal.contoso.local:80/)). Execution Time=5000"}
    expect: []

  - name: slow, undecided where the log cuts the request
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (GET:http://portal.contoso.local:80/)"}
      - {t: "10:00:04.71", id: fa43, level: High, category: Database, corr: A, msg: "Slow Query Duration: 45127.3"}
      - {t: "10:00:04.72", id: tzku, level: High, category: Database, corr: A, msg: "ConnectionString: 'Data Source=SQL1;Initial Catalog=WSS_Content_HR;Integrated Security=True'"}
    expect:
      - {verdict: slow, undecided: [located]}

  - name: a paste of the rows with single blanks
    paste: |
      03/18/2014 16:40:04.71 w3wp.exe (0x5338) 0x1C60 SharePoint Foundation Database fa43 High Slow Query Duration: 31204.1 3ed81d9b-1122-c0d3-1ab4-c729c3490e9d
      03/18/2014 16:40:04.71 w3wp.exe (0x5338) 0x1C60 SharePoint Foundation Database tzku High ConnectionString: 'Data Source=SQL1;Initial Catalog=WSS_Content_HR;Integrated Security=True' 3ed81d9b-1122-c0d3-1ab4-c729c3490e9d
      03/18/2014 16:40:04.71 w3wp.exe (0x5338) 0x1C60 SharePoint Foundation Database tzkv High SqlCommand: 'proc_GetListItems' CommandType: StoredProcedure 3ed81d9b-1122-c0d3-1ab4-c729c3490e9d
    expect:
      - {verdict: located, symptoms: {very_slow: 1}, captures: {statement: proc_GetListItems}}

  - name: ten slow queries in ten minutes
    uls:
      - {t: "10:00:00.00", times: 10, every: 1m, id: fa43, level: High, category: Database, corr: "R<n>", msg: "Slow Query Duration: 1001.<n>"}
    expect:
      - {verdict: slow, severity: warning, confidence: likely, symptoms: {often: 10}, message: "Database queries were slow; the first took 1001.1 ms."}

  - name: the first query is not that whose database is known
    uls:
      - {t: "10:00:00.00", times: 10, every: 10s, id: fa43, level: High, category: Database, corr: "R<n>", msg: "Slow Query Duration: 1001.<n>"}
      - {t: "10:02:00.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (GET:http://portal.contoso.local:80/)"}
      - {t: "10:02:01.71", id: fa43, level: High, category: Database, corr: A, msg: "Slow Query Duration: 1700.5"}
      - {t: "10:02:01.72", id: tzku, level: High, category: Database, corr: A, msg: "ConnectionString: 'Data Source=SQL1;Initial Catalog=WSS_Content_HR;Integrated Security=True'"}
      - {t: "10:02:01.72", id: tzkv, level: High, category: Database, corr: A, msg: "SqlCommand: 'proc_GetListItems'     CommandType: StoredProcedure"}
    expect:
      - {verdict: located, symptoms: {often: 11}, message: "Database queries were slow; the first whose database is known took 1700.5 ms in WSS_Content_HR on SQL1: proc_GetListItems."}

  - name: NEAR MISS nine slow queries, none of them very slow
    uls:
      - {t: "10:00:00.00", times: 9, every: 1s, id: fa43, level: High, category: Database, corr: "R<n>", msg: "Slow Query Duration: 9999.<n>"}
    expect: []

  - name: NEAR MISS a single query of a second, with all its rows
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (GET:http://portal.contoso.local:80/)"}
      - {t: "10:00:01.71", id: fa43, level: High, category: Database, corr: A, msg: "Slow Query Duration: 1001.25"}
      - {t: "10:00:01.72", id: tzku, level: High, category: Database, corr: A, msg: "ConnectionString: 'Data Source=SQL1;Initial Catalog=WSS_Content_HR;Integrated Security=True'"}
      - {t: "10:00:01.72", id: tzkv, level: High, category: Database, corr: A, msg: "SqlCommand: 'proc_GetListItems'     CommandType: StoredProcedure"}
      - {t: "10:00:02.00", id: b4ly, category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (GET:http://portal.contoso.local:80/)). Execution Time=2000"}
    expect: []

  - name: NEAR MISS slow queries that are rare, and the number in another event
    uls:
      - {t: "10:00:00.00", times: 12, every: 5m, id: fa43, level: High, category: Database, corr: "R<n>", msg: "Slow Query Duration: 1001.5"}
      - {t: "11:30:00.00", id: fa44, level: High, category: Database, corr: A, msg: "Slow Query Duration: 45127.3"}
      - {t: "11:30:01.00", times: 9, every: 1s, id: fa44, level: High, category: Database, corr: A, msg: "Slow Query Duration: 1001.5"}
      - {t: "11:31:00.00", id: xmnv, category: Logging Correlation Data, corr: Z, msg: "Name=Request (GET:http://portal.contoso.local:80/)"}
    expect: []

  - name: PASS a log that begins among queries that are logged one by one
    uls:
      - {t: "10:00:04.72", id: tzku, level: Verbose, category: Database, corr: A, msg: "ConnectionString: 'Data Source=SQL1;Initial Catalog=WSS_Content_HR;Integrated Security=True'"}
      - {t: "10:00:04.72", id: tzkv, level: Verbose, category: Database, corr: A, msg: "SqlCommand: 'proc_GetListItems'     CommandType: StoredProcedure"}
    expect: []

  - name: PASS a request without a slow query
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (GET:http://portal.contoso.local:80/)"}
      - {t: "10:00:00.25", id: b4ly, category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (GET:http://portal.contoso.local:80/)). Execution Time=25"}
    expect: []

  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1049_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1049
tests:
  - name: one finding for each right and object
    uls:
      - {t: "10:00:00.00", id: "tkau", level: Unexpected, corr: A, split: 60, msg: "Cannot read the document: System.Data.SqlClient.SqlException (0x80131904): The EXECUTE permission was denied on the object 'rbs_fn_get_blob_reference', database 'WSS_Content_HR', schema 'mssqlrbs'.     at System.Data.SqlClient.SqlConnection.OnError(SqlException exception)"}
      - {t: "10:00:01.00", id: "tkau", level: Unexpected, corr: B, msg: "System.Data.SqlClient.SqlException: The EXECUTE permission was denied on the object 'rbs_fn_get_blob_reference', database 'WSS_Content_HR', schema 'mssqlrbs'."}
      - {t: "10:00:02.00", id: "fa45", level: High, category: Database, corr: C, msg: "The SELECT permission was denied on the object 'MSP_TASKS', database 'WSS_Content_PWA', schema 'pjpub'."}
      - {t: "10:00:02.50", id: "fa45", level: High, category: Database, corr: C, msg: "The SELECT permission was denied on the object 'MSP_PROJECTS', database 'WSS_Content_PWA', schema 'pjpub'."}
      - {t: "10:00:03.00", id: "fa45", level: High, category: Database, corr: D, msg: "The UPDATE permission was denied on the object 'MSP_TASKS', database 'WSS_Content_PWA', schema 'pjpub'."}
    expect:
      - verdict: permission-denied
        severity: error
        confidence: likely
        symptoms: {refused: 2}
        captures: {permission: EXECUTE, object: rbs_fn_get_blob_reference, database: WSS_Content_HR, schema: mssqlrbs}
        message: "SQL Server denies EXECUTE on rbs_fn_get_blob_reference (schema mssqlrbs, first in database WSS_Content_HR)."
      - verdict: permission-denied
        symptoms: {refused: 1}
        captures: {permission: SELECT, object: MSP_TASKS}
      - verdict: permission-denied
        symptoms: {refused: 1}
        captures: {permission: SELECT, object: MSP_PROJECTS}
      - verdict: permission-denied
        symptoms: {refused: 1}
        captures: {permission: UPDATE, object: MSP_TASKS}
  - name: nothing but the message, as somebody quoted it
    paste: |
      The INSERT permission was denied on the object 'MSP_RESOURCES', database 'WSS_Content_PWA', schema 'pjpub'.
    expect: [{verdict: permission-denied, symptoms: {refused: 1}, captures: {permission: INSERT, object: MSP_RESOURCES}}]
  - name: what is known is said although the rest of the text is missing
    uls:
      - {t: "10:00:00.00", id: "tkau", level: Unexpected, corr: A, msg: "System.Data.SqlClient.SqlException: The EXECUTE permission was denied on the object 'proc_a'. The end is missing."}
      - {t: "10:00:01.00", id: "tkau", level: Unexpected, corr: A, msg: "System.Data.SqlClient.SqlException: Execute permission was denied on the object 'proc_b', database 'DB'."}
      - {t: "10:00:02.00", id: "fa45", level: High, category: Database, corr: A, msg: "Permission was denied on the object 'proc_c'"}
    expect:
      - {verdict: permission-denied, captures: {permission: EXECUTE, object: proc_a}, message: "SQL Server denies EXECUTE on proc_a (schema not logged, first in database not logged)."}
      - {verdict: permission-denied, captures: {object: proc_b, database: DB}, message: "SQL Server denies a permission on proc_b (schema not logged, first in database DB)."}
      - {verdict: permission-denied, captures: {object: proc_c}, message: "SQL Server denies a permission on proc_c (schema not logged, first in database not logged)."}
  - name: a row of the category that is no exception
    uls:
      - {t: "10:00:00.00", id: "5586", level: High, category: Database, corr: A, msg: "A query of the list failed: The SELECT permission was denied on the object 'Docs', database 'DB', schema 'dbo'."}
    expect: [{verdict: permission-denied, symptoms: {refused: 1}, captures: {permission: SELECT, object: Docs, database: DB, schema: dbo}}]
  - name: the exception is named after the text
    uls:
      - {t: "10:00:00.00", id: "tkau", level: High, corr: A, msg: "The INSERT permission was denied on the object 'Docs'. (System.Data.SqlClient.SqlException)"}
    expect: [{verdict: permission-denied, captures: {permission: INSERT, object: Docs}}]
  - name: the exception's own number before the text
    each: {category: [Database, General]}
    uls:
      - {t: "10:00:00.00", id: "tkau", level: High, category: "<category>", corr: A, msg: "The query failed: System.Data.SqlClient.SqlException (0x80131904): The SELECT permission was denied on the object 'Docs', database 'DB', schema 'dbo'."}
    expect: [{verdict: permission-denied, captures: {permission: SELECT, object: Docs}}]
  - name: an error of SQL Server, and a row that quotes it
    uls:
      - {t: "10:00:00.00", id: "5586", level: High, category: Database, corr: A, msg: "The SELECT permission was denied on the object 'Docs', database 'DB', schema 'dbo'."}
      - {t: "10:00:01.00", id: "zq1a", level: High, area: Contoso, category: Help Desk, corr: B, msg: "The ticket says: The SELECT permission was denied on the object 'Docs', database 'DB', schema 'dbo'."}
    expect: [{verdict: permission-denied, symptoms: {refused: 1, quoted: 1}}]
  - name: NEAR MISS another row about a permission
    uls:
      - {t: "10:00:00.00", id: "zq1a", level: High, area: Contoso, category: Help Desk, corr: A, msg: "The SELECT permission was granted on the object 'Docs'."}
    expect: []
  - name: NEAR MISS a row that quotes the text
    each: {level: [Unexpected, High]}
    uls:
      - {t: "10:00:00.00", id: "zq1a", level: "<level>", area: Contoso, category: Help Desk, corr: A, msg: "The ticket 4711 says SqlException (0x80131904) and nothing else."}
      - {t: "10:00:01.00", id: "zq1a", level: "<level>", area: Contoso, category: Help Desk, corr: A, msg: "The ticket says: The SELECT permission was denied on the object 'MSP_TASKS', database 'DB', schema 'pjpub'."}
    expect:
      - {verdict: permission-quoted, severity: warning, confidence: likely, symptoms: {quoted: 1}, captures: {permission: SELECT, object: MSP_TASKS}, message: "A row says that SQL Server denies SELECT on MSP_TASKS (schema pjpub, first in database DB), but it is not SQL Server's own error."}
  - name: NEAR MISS an exception below High
    uls:
      - {t: "10:00:00.00", id: "zq1a", level: Medium, corr: A, msg: "Handled SqlException (0x80131904): The SELECT permission was denied on the object 'Docs', database 'DB', schema 'dbo'."}
      - {t: "10:00:01.00", id: "zq1a", level: Medium, corr: A, msg: "The SELECT permission was denied on the object 'Docs', database 'DB', schema 'dbo'."}
    expect: []
  - name: NEAR MISS a row that is a quote from its beginning
    uls:
      - {t: "10:00:01.00", id: "zq1a", level: High, area: Contoso, category: Help Desk, corr: A, msg: "The UPDATE permission was denied on the object 'x'"}
    expect: [{verdict: permission-quoted, captures: {permission: UPDATE, object: x}}]
  - name: NEAR MISS a quote that ends early
    uls:
      - {t: "10:00:01.00", id: "zq1a", level: High, area: Contoso, category: Help Desk, corr: A, msg: "Execute permission was denied on the object 'x'"}
    expect: [{verdict: permission-quoted, captures: {object: x}}]
  - name: NEAR MISS a right on the database itself
    uls:
      - {t: "10:00:00.00", id: "fa45", level: High, category: Database, msg: "CREATE TABLE permission denied in database 'WSS_Content'."}
    expect: []
  - name: NEAR MISS a row that only tells of it
    uls:
      - {t: "10:00:00.00", id: "tzkv", level: Medium, category: Database, msg: "SqlCommand: 'PRINT ''The SELECT permission was denied on the object 'MSP_TASKS', database 'WSS_Content_PWA', schema 'pjpub'.'''"}
    expect: []
  - name: PASS queries that succeed
    uls:
      - {t: "10:00:00.00", id: "fa43", level: High, category: Database, msg: "Slow Query Duration: 1043.7"}
    expect: []
  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1058_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1058
tests:
  - name: a request for a token times out
    uls:
      - {t: "10:00:00.00", id: "ah24q", level: Unexpected, category: DistributedCache, corr: A, split: 100, msg: "Unexpected error occurred in method 'GetObject' , usage 'Distributed Logon Token Cache' - Exception 'Microsoft.ApplicationServer.Caching.DataCacheException: ErrorCode<ERRCA0018>:SubStatus<ES0001>:The request timed out.. Additional Information : The client was trying to communicate with the server : net.tcp://cache01.contoso.com:22233'."}
    expect:
      - verdict: some-time-outs
        severity: warning
        confidence: likely
        symptoms: {slow: 1}
        captures: {usage: Distributed Logon Token Cache, host: cache01.contoso.com}
        message: "Some requests to the Distributed Cache timed out (Distributed Logon Token Cache at cache01.contoso.com); SharePoint waits for them only briefly."
  - name: a record that was written field by field, and lost what stood in angle brackets
    paste: |
      Product: SharePoint Foundation
      Category: DistributedCache
      Level: Unexpected

      Message:
      Unexpected error occurred in method 'Put' , usage 'SPViewStateCache' - Exception 'Microsoft.ApplicationServer.Caching.DataCacheException: ErrorCode:SubStatus:The request timed out..
    expect:
      - verdict: some-time-outs
        captures: {usage: SPViewStateCache}
        message: "Some requests to the Distributed Cache timed out (SPViewStateCache at an unnamed host); SharePoint waits for them only briefly."
  - name: the text of the time-out is translated
    uls:
      - {t: "10:00:00.00", id: "ah24q", level: Unexpected, category: DistributedCache, msg: "Unerwarteter Fehler in Methode 'GetObject' - Ausnahme 'Microsoft.ApplicationServer.Caching.DataCacheException: ErrorCode<ERRCA0018>:SubStatus<ES0001>:Timeout der Anforderung.'"}
    expect: [{verdict: some-time-outs, symptoms: {slow: 1}}]
  - name: the cluster refuses its clients
    uls:
      - {t: "10:00:00.00", id: "ah24w", level: Unexpected, category: DistributedCache, corr: A, msg: "Unexpected Exception in SPDistributedCachePointerWrapper::InitializeDataCacheFactory for usage 'DistributedLogonTokenCache' - Exception 'Microsoft.SharePoint.Internal.Caching.DataCacheException: ErrorCode<ERRCA0017>:SubStatus<ES0006>:There is a temporary failure. Please retry later.'"}
    expect:
      - verdict: cluster-unavailable-once
        severity: warning
        confidence: likely
        symptoms: {unavailable: 1}
        captures: {usage: DistributedLogonTokenCache}
        message: "The cache cluster did not serve DistributedLogonTokenCache for a moment (ERRCA0017): the client is told to try again later."
  - name: the cluster refuses its clients, in a text that lost what stood in angle brackets
    paste: |
      Unexpected error occurred in method 'Put' , usage 'Distributed Logon Token Cache' - Exception 'Microsoft.ApplicationServer.Caching.DataCacheException: ErrorCode:SubStatus:There is a temporary failure. Please retry later.'
    expect: [{verdict: cluster-unavailable-once, symptoms: {unavailable: 1}, captures: {usage: Distributed Logon Token Cache}}]
  - name: no server runs the cache, each of the two rows is enough
    each: {tag: [air4g, a4kcq]}
    uls:
      - {t: "10:00:00.00", id: "<tag>", level: Monitorable, category: DistributedCache, corr: A, msg: "Token Cache: Failed to initialize SPDistributedSecurityTokenCache  Exception: 'System.InvalidOperationException: SPDistributedCachePointerWrapper::InitializeDataCacheFactory - No cache hosts present in the farm.     at Microsoft.SharePoint.DistributedCaching.SPDistributedCachePointerWrapper.InitializeDataCacheFactory()'"}
    expect:
      - verdict: no-cache-hosts-once
        severity: warning
        confidence: likely
        symptoms: {no_hosts: 1}
        message: "For a moment the farm had no running cache host, as while servers start."
  - name: the cause that explains most comes first
    uls:
      - {t: "10:00:00.00", id: "ah24q", level: Unexpected, category: DistributedCache, msg: "Unexpected error occurred in method 'GetObject' , usage 'Distributed Logon Token Cache' - Exception 'Microsoft.ApplicationServer.Caching.DataCacheException: ErrorCode<ERRCA0018>:SubStatus<ES0001>:The request timed out.'"}
      - {t: "10:00:01.00", id: "ah24w", level: Unexpected, category: DistributedCache, msg: "Unexpected Exception in SPDistributedCachePointerWrapper::InitializeDataCacheFactory for usage 'DistributedLogonTokenCache' - Exception 'Microsoft.ApplicationServer.Caching.DataCacheException: ErrorCode<ERRCA0017>:SubStatus<ES0006>:There is a temporary failure.'"}
      - {t: "10:00:02.00", id: "a4kcq", level: Unexpected, category: DistributedCache, msg: "SPDistributedCachePointerWrapper::InitializeDataCacheFactory - No cache hosts are present or running in the farm."}
    expect: [{verdict: no-cache-hosts-once, symptoms: {no_hosts: 1, unavailable: 1, slow: 1}}]
  - name: a cluster that is down explains its time-outs
    uls:
      - {t: "10:00:00.00", id: "ah24q", level: Unexpected, category: DistributedCache, msg: "Unexpected error occurred in method 'GetObject' , usage 'Distributed Logon Token Cache' - Exception 'Microsoft.ApplicationServer.Caching.DataCacheException: ErrorCode<ERRCA0018>:SubStatus<ES0001>:The request timed out.'"}
      - {t: "10:00:01.00", id: "ah24w", level: Unexpected, category: DistributedCache, msg: "Unexpected Exception in SPDistributedCachePointerWrapper::InitializeDataCacheFactory for usage 'DistributedLogonTokenCache' - Exception 'Microsoft.ApplicationServer.Caching.DataCacheException: ErrorCode<ERRCA0017>:SubStatus<ES0006>:There is a temporary failure.'"}
    expect: [{verdict: cluster-unavailable-once, symptoms: {unavailable: 1, slow: 1}}]
  - name: time-outs come often
    uls:
      - {t: "10:00:00.00", times: 10, every: 1m, id: "ah24q", level: Unexpected, category: DistributedCache, msg: "usage 'SPViewStateCache': Microsoft.ApplicationServer.Caching.DataCacheException: ErrorCode<ERRCA0018>:SubStatus<ES0001>:The request timed out. net.tcp://cache01:22233"}
    expect: [{verdict: request-timed-out, severity: error, confidence: likely, symptoms: {slow: 10}, message: "Requests to the Distributed Cache time out again and again (SPViewStateCache at cache01)."}]
  - name: the cluster refuses its clients again and again
    uls:
      - {t: "10:00:00.00", times: 10, every: 1m, id: "ah24w", level: Unexpected, category: DistributedCache, msg: "usage 'SPViewStateCache': Microsoft.ApplicationServer.Caching.DataCacheException: ErrorCode<ERRCA0017>:SubStatus<ES0006>:There is a temporary failure."}
    expect: [{verdict: cluster-down, severity: error, confidence: likely, symptoms: {unavailable: 10}, message: "The cache cluster does not serve SPViewStateCache (ERRCA0017, again and again): a host is stopped, or client and cluster disagree on security."}]
  - name: no server runs the cache for some time
    uls:
      - {t: "10:00:00.00", times: 3, every: 5m, id: "a4kcq", level: Unexpected, category: DistributedCache, msg: "SPDistributedCachePointerWrapper::InitializeDataCacheFactory - No cache hosts are present or running in the farm."}
    expect: [{verdict: no-cache-hosts, severity: error, confidence: likely, symptoms: {no_hosts: 3}}]
  - name: what lasts comes before what passes, with the rest as symptoms
    uls:
      - {t: "10:00:00.00", times: 10, every: 1s, id: "ah24q", level: Unexpected, category: DistributedCache, msg: "usage 'SPViewStateCache': Microsoft.ApplicationServer.Caching.DataCacheException: ErrorCode<ERRCA0018>:SubStatus<ES0001>:The request timed out. net.tcp://cache01:22233"}
      - {t: "10:01:00.00", id: "ah24w", level: Unexpected, category: DistributedCache, msg: "usage 'SPViewStateCache': Microsoft.ApplicationServer.Caching.DataCacheException: ErrorCode<ERRCA0017>:SubStatus<ES0006>:There is a temporary failure."}
      - {t: "10:01:01.00", id: "a4kcq", level: Unexpected, category: DistributedCache, msg: "SPDistributedCachePointerWrapper::InitializeDataCacheFactory - No cache hosts are present or running in the farm."}
    expect: [{verdict: request-timed-out, symptoms: {no_hosts: 1, unavailable: 1, slow: 10}}]
  - name: a cluster that is down for some time explains its time-outs
    uls:
      - {t: "10:00:00.00", times: 10, every: 1s, id: "ah24q", level: Unexpected, category: DistributedCache, msg: "usage 'SPViewStateCache': Microsoft.ApplicationServer.Caching.DataCacheException: ErrorCode<ERRCA0018>:SubStatus<ES0001>:The request timed out. net.tcp://cache01:22233"}
      - {t: "10:01:00.00", times: 10, every: 1s, id: "ah24w", level: Unexpected, category: DistributedCache, msg: "usage 'SPViewStateCache': Microsoft.ApplicationServer.Caching.DataCacheException: ErrorCode<ERRCA0017>:SubStatus<ES0006>:There is a temporary failure."}
      - {t: "10:02:01.00", id: "a4kcq", level: Unexpected, category: DistributedCache, msg: "SPDistributedCachePointerWrapper::InitializeDataCacheFactory - No cache hosts are present or running in the farm."}
    expect: [{verdict: cluster-down, symptoms: {no_hosts: 1, unavailable: 10, slow: 10}}]
  - name: a farm without hosts explains everything
    uls:
      - {t: "10:00:00.00", times: 10, every: 1s, id: "ah24q", level: Unexpected, category: DistributedCache, msg: "usage 'SPViewStateCache': Microsoft.ApplicationServer.Caching.DataCacheException: ErrorCode<ERRCA0018>:SubStatus<ES0001>:The request timed out. net.tcp://cache01:22233"}
      - {t: "10:01:00.00", times: 10, every: 1s, id: "ah24w", level: Unexpected, category: DistributedCache, msg: "usage 'SPViewStateCache': Microsoft.ApplicationServer.Caching.DataCacheException: ErrorCode<ERRCA0017>:SubStatus<ES0006>:There is a temporary failure."}
      - {t: "10:02:01.00", times: 3, every: 1s, id: "a4kcq", level: Unexpected, category: DistributedCache, msg: "SPDistributedCachePointerWrapper::InitializeDataCacheFactory - No cache hosts are present or running in the farm."}
    expect: [{verdict: no-cache-hosts, symptoms: {no_hosts: 3, unavailable: 10, slow: 10}}]
  - name: NEAR MISS nine time-outs
    uls:
      - {t: "10:00:00.00", times: 9, every: 1s, id: "ah24q", level: Unexpected, category: DistributedCache, msg: "usage 'SPViewStateCache': Microsoft.ApplicationServer.Caching.DataCacheException: ErrorCode<ERRCA0018>:SubStatus<ES0001>:The request timed out. net.tcp://cache01:22233"}
    expect: [{verdict: some-time-outs, severity: warning, symptoms: {slow: 9}}]
  - name: NEAR MISS time-outs that are rare
    uls:
      - {t: "10:00:00.00", times: 12, every: 5m, id: "ah24q", level: Unexpected, category: DistributedCache, msg: "usage 'SPViewStateCache': Microsoft.ApplicationServer.Caching.DataCacheException: ErrorCode<ERRCA0018>:SubStatus<ES0001>:The request timed out. net.tcp://cache01:22233"}
    expect: [{verdict: some-time-outs, severity: warning, symptoms: {slow: 12}}]
  - name: NEAR MISS nine failures that pass
    uls:
      - {t: "10:00:00.00", times: 9, every: 1s, id: "ah24w", level: Unexpected, category: DistributedCache, msg: "usage 'SPViewStateCache': Microsoft.ApplicationServer.Caching.DataCacheException: ErrorCode<ERRCA0017>:SubStatus<ES0006>:There is a temporary failure."}
    expect: [{verdict: cluster-unavailable-once, severity: warning, symptoms: {unavailable: 9}}]
  - name: NEAR MISS failures that are rare
    uls:
      - {t: "10:00:00.00", times: 12, every: 5m, id: "ah24w", level: Unexpected, category: DistributedCache, msg: "usage 'SPViewStateCache': Microsoft.ApplicationServer.Caching.DataCacheException: ErrorCode<ERRCA0017>:SubStatus<ES0006>:There is a temporary failure."}
    expect: [{verdict: cluster-unavailable-once, severity: warning, symptoms: {unavailable: 12}}]
  - name: NEAR MISS servers that start, two at a time
    uls:
      - {t: "10:00:00.00", times: 2, every: 1s, id: "a4kcq", level: Unexpected, category: DistributedCache, msg: "SPDistributedCachePointerWrapper::InitializeDataCacheFactory - No cache hosts are present or running in the farm."}
    expect: [{verdict: no-cache-hosts-once, severity: warning, symptoms: {no_hosts: 2}}]
  - name: NEAR MISS servers that start now and then
    uls:
      - {t: "10:00:00.00", times: 5, every: 6m, id: "a4kcq", level: Unexpected, category: DistributedCache, msg: "SPDistributedCachePointerWrapper::InitializeDataCacheFactory - No cache hosts are present or running in the farm."}
    expect: [{verdict: no-cache-hosts-once, severity: warning, symptoms: {no_hosts: 5}}]
  - name: NEAR MISS the codes in rows of another category
    each: {code: [ERRCA0017, ERRCA0018]}
    uls:
      - {t: "10:00:00.00", id: "0000", level: Unexpected, area: Contoso, category: Health, msg: "Microsoft.ApplicationServer.Caching.DataCacheException: ErrorCode<<code>>:SubStatus<ES0001>:Last error of our own cache."}
    expect: []
  - name: NEAR MISS other errors of the cache
    each: {text: ["ErrorCode<ERRCA0006>:SubStatus<ES0001>:An attempt is being made to access an object that does not exist", "The request timed out", "There is a temporary failure"]}
    uls:
      - {t: "10:00:00.00", id: "ah24q", level: Unexpected, category: DistributedCache, msg: "Unexpected error, usage 'SPViewStateCache': DataCacheException: <text>."}
    expect: []
  - name: NEAR MISS the token cache fails for another reason
    uls:
      - {t: "10:00:00.00", id: "air4g", level: Monitorable, category: DistributedCache, msg: "Token Cache: Failed to initialize SPDistributedSecurityTokenCache  Exception: 'System.InvalidOperationException: SPDistributedCachePointerWrapper::InitializeDataCacheFactory - SPDistributedCacheClusterInfo is null.'"}
    expect: []
  - name: NEAR MISS the text in a row of another event
    uls:
      - {t: "10:00:00.00", id: "0000", level: Unexpected, area: Contoso, category: Health, msg: "Last error: InitializeDataCacheFactory - No cache hosts present in the farm."}
    expect: []
  - name: PASS a host is up
    uls:
      - {t: "10:00:00.00", id: "agyfw", category: DistributedCache, msg: "cache host Name: 'CACHE01' Running status 'True'"}
    expect: []
  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1061_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1061
tests:
  - name: a log file is held open
    uls:
      - {t: "10:00:00.00", id: b9ws, level: Monitorable, category: Unified Logging Service, process: wsstracing.exe, msg: 'Trace Management Service unable to delete file ''D:\Logs\WFE1-20260215-1015.log''.  Error 00000020'}
    expect:
      - {verdict: held-open, severity: warning, confidence: likely, symptoms: {held_open: 1}, captures: {file: 'D:\Logs\WFE1-20260215-1015.log'}}

  - name: a log file is held open and the limit is near
    uls:
      - {t: "10:00:00.00", id: "8094", level: Warning, category: Tracing Controller Service, process: wsstracing.exe, msg: "Trace logs are reaching to the configured storage limit (5). Please increase the maximum storage settings. Otherwise, older files will be deleted once the limit is reached."}
      - {t: "10:00:00.01", id: b9ws, level: Monitorable, category: Unified Logging Service, process: wsstracing.exe, msg: 'Die Datei ''D:\Logs\WFE1-20260215-1015.log'' kann nicht gelöscht werden. Fehler 00000020'}
    expect:
      - {verdict: held-open, symptoms: {held_open: 1, limit_near: 1}}

  - name: a log file may not be deleted
    uls:
      - {t: "10:00:00.00", id: b9ws, level: Monitorable, category: Unified Logging Service, process: wsstracing.exe, msg: 'Trace Management Service unable to delete file ''D:\Logs\WFE1-20260215-1015.log''.  Error 00000005'}
      - {t: "10:00:01.00", id: "8094", level: Warning, category: Tracing Controller Service, process: wsstracing.exe, msg: "Trace logs are reaching to the configured storage limit (5). Please increase the maximum storage settings."}
    expect:
      - {verdict: not-deleted, severity: warning, confidence: likely, symptoms: {not_deleted: 1, limit_near: 1}, captures: {file: 'D:\Logs\WFE1-20260215-1015.log', code: "00000005"}}

  - name: the storage limit is near and an old log was deleted
    uls:
      - {t: "10:00:00.00", id: "8094", level: Warning, category: Tracing Controller Service, process: wsstracing.exe, msg: "Trace logs are reaching to the configured storage limit (5). Please increase the maximum storage settings. Otherwise, older files will be deleted once the limit is reached."}
      - {t: "10:00:00.01", id: b9wt, level: High, category: Unified Logging Service, process: wsstracing.exe, msg: 'Log retention limit reached.  Log file ''D:\Logs\WFE1-20260215-1045.log'' has been deleted.'}
    expect:
      - {verdict: limit, severity: warning, confidence: likely, symptoms: {limit_near: 1}, captures: {limit: "5"}}

  - name: the storage limit in another language
    uls:
      - {t: "10:00:00.00", id: "8094", level: Warning, category: Tracing Controller Service, process: wsstracing.exe, msg: "Die Ablaufverfolgungsprotokolle erreichen das konfigurierte Limit."}
    expect:
      - {verdict: limit, symptoms: {limit_near: 1}}

  - name: a paste of the row with single blanks
    paste: |
      03/07/2018 22:54:54.97 wsstracing.exe (0x08C4) 0x1520 SharePoint Foundation Unified Logging Service b9ws Monitorable Trace Management Service unable to delete file 'D:\Logs\WFE1-20260215-1015.log'. Error 00000020
    expect:
      - {verdict: held-open, symptoms: {held_open: 1}}

  - name: NEAR MISS an old log was deleted, as usual
    uls:
      - {t: "10:00:00.01", id: b9wt, level: High, category: Unified Logging Service, process: wsstracing.exe, msg: 'Log retention limit reached.  Log file ''D:\Logs\WFE1-20260215-1045.log'' has been deleted.'}
    expect: []

  - name: NEAR MISS the number 8094 of another component
    uls:
      - {t: "10:00:00.00", id: "8094", level: Warning, category: Augmentation, area: Contoso, msg: "Batch 8094 reaches the storage limit (5)."}
    expect: []

  - name: NEAR MISS the same texts under other IDs
    uls:
      - {t: "10:00:00.00", id: zq1a, level: Monitorable, category: Unified Logging Service, msg: 'Trace Management Service unable to delete file ''D:\Logs\WFE1-20260215-1015.log''.  Error 00000020'}
      - {t: "10:00:00.00", id: zq1b, level: Warning, category: Tracing Controller Service, msg: "Trace logs are reaching to the configured storage limit (5)."}
    expect: []

  - name: PASS the tracing service starts
    uls:
      - {t: "10:00:00.00", id: b8fx, level: High, category: Unified Logging Service, process: wsstracing.exe, msg: "ULS Init Completed (wsstracing.exe, wsstrace.dll)"}
    expect: []

  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1063_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1063
tests:
  - name: the file is in use
    uls:
      - {t: "10:00:00.00", id: "8xqx", level: Unexpected, category: Topology, process: OWSTIMER.EXE, split: 70, msg: 'Provision of service failed. The process cannot access the file ''D:\inetpub\wwwroot\wss\VirtualDirectories\intranet80\_app_bin\STSSOAP.DLL'' because it is being used by another process.'}
    expect:
      - verdict: file-in-use
        severity: error
        confidence: likely
        symptoms: {locked: 1}
        captures: {site: intranet80}
        message: "A service cannot be provisioned: another process holds STSSOAP.DLL of intranet80."
  - name: Windows speaks German
    uls:
      - {t: "10:00:00.00", id: "8xqx", level: High, category: Topology, msg: 'Der Prozess kann nicht auf die Datei "D:\inetpub\wwwroot\wss\VirtualDirectories\intranet80\_app_bin\STSSOAP.DLL" zugreifen, da sie von einem anderen Prozess verwendet wird.'}
    expect: [{verdict: file-in-use, captures: {site: intranet80}}]
  - name: nothing but the message, as somebody quoted it
    paste: |
      Provision of service failed. The process cannot access the file 'C:\inetpub\wwwroot\wss\VirtualDirectories\teams443\_app_bin\STSSOAP.DLL' because it is being used by another process.
    expect: [{verdict: file-in-use, captures: {site: teams443}}]
  - name: NEAR MISS access to the file is denied
    uls:
      - {t: "10:00:00.00", id: "8xqx", level: Unexpected, category: Topology, msg: 'Access to the path ''D:\inetpub\wwwroot\wss\VirtualDirectories\intranet80\_app_bin\STSSOAP.DLL'' is denied.'}
    expect: []
  - name: NEAR MISS another file is in use
    uls:
      - {t: "10:00:00.00", id: "8xqx", level: Unexpected, category: Topology, msg: 'The process cannot access the file ''D:\inetpub\wwwroot\wss\VirtualDirectories\intranet80\web.config'' because it is being used by another process.'}
    expect: []
  - name: NEAR MISS an attempt that is repeated and not reported as a failure
    uls:
      - {t: "10:00:00.00", id: "8xqx", level: Medium, category: Topology, msg: 'Retrying: the process cannot access the file ''D:\inetpub\wwwroot\wss\VirtualDirectories\intranet80\_app_bin\STSSOAP.DLL'' because it is being used by another process.'}
    expect: []
  - name: PASS the file is copied
    uls:
      - {t: "10:00:00.00", id: "8xqx", level: Medium, category: Topology, msg: 'Copied D:\inetpub\wwwroot\wss\VirtualDirectories\intranet80\_app_bin\STSSOAP.DLL'}
    expect: []
  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1067_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1067
tests:
  - name: the search daemon fails, each of the two rows is enough
    each: {tag: [fa45, 88bl]}
    uls:
      - {t: "10:00:00.00", id: "<tag>", level: High, category: Database, process: mssdmn.exe, split: 120, msg: 'System.TypeInitializationException: The type initializer for ''System.Data.SqlClient.SqlConnection'' threw an exception. ---> System.IO.FileNotFoundException: D:\Program Files\Microsoft Office Servers\16.0\bin\mssdmn.exe     at System.Diagnostics.FileVersionInfo.GetVersionInfo(String fileName)     at System.Configuration.ClientConfigPaths.SetNamesAndVersion(String applicationFilename, Assembly exeAssembly, Boolean isHttp)     at System.Configuration.ClientConfigPaths..ctor(String exePath, Boolean includeUserConfig)'}
    expect:
      - verdict: section-missing
        severity: error
        confidence: likely
        symptoms: {broken: 1}
        captures: {program: 'D:\Program Files\Microsoft Office Servers\16.0\bin\mssdmn'}
        message: 'D:\Program Files\Microsoft Office Servers\16.0\bin\mssdmn.exe cannot open SQL connections: a configuration section that .NET has needed since September 2018 is not defined for it.'
  - name: the text of the exception is translated
    uls:
      - {t: "10:00:00.00", id: "fa45", level: High, category: Database, process: mssdmn.exe, msg: 'System.TypeInitializationException: Der Typeninitialisierer für "System.Data.SqlClient.SqlConnection" hat eine Ausnahme verursacht. ---> System.IO.FileNotFoundException: D:\bin\mssdmn.exe     bei System.Configuration.ClientConfigPaths.SetNamesAndVersion(String applicationFilename, Assembly exeAssembly, Boolean isHttp)'}
    expect: [{verdict: section-missing, captures: {program: 'D:\bin\mssdmn'}}]
  - name: a paste with placeholders for the time
    paste: |
      <date> <time> mssdmn.exe (0x1F40) 0x0A10 SharePoint Foundation   Topology     88bl   Monitorable  An exception occurred while trying to acquire the local farm: System.TypeInitializationException: The type initializer for 'System.Data.SqlClient.SqlConnection' threw an exception. ---> System.IO.FileNotFoundException: C:\Program Files\Microsoft Office Servers\15.0\bin\mssdmn.exe     at System.Diagnostics.FileVersionInfo.GetVersionInfo(String fileName)     at System.Configuration.ClientConfigPaths.SetNamesAndVersion(String applicationFilename, Assembly exeAssembly, Boolean isHttp)
    expect: [{verdict: section-missing, symptoms: {broken: 1}}]
  - name: NEAR MISS SQL Server cannot be reached
    uls:
      - {t: "10:00:00.00", id: "fa45", level: High, category: Database, process: mssdmn.exe, msg: "System.Data.SqlClient.SqlException: A network-related or instance-specific error occurred.     at System.Data.SqlClient.SqlConnection.Open()"}
    expect: []
  - name: NEAR MISS another type cannot read its configuration
    uls:
      - {t: "10:00:00.00", id: "88bl", level: Monitorable, category: Topology, process: mssdmn.exe, msg: 'An exception occurred while trying to acquire the local farm: System.TypeInitializationException: The type initializer for ''System.Net.ServicePointManager'' threw an exception.     at System.Configuration.ClientConfigPaths.SetNamesAndVersion(String applicationFilename, Assembly exeAssembly, Boolean isHttp)'}
    expect: []
  - name: NEAR MISS the exception in a row of another event
    uls:
      - {t: "10:00:00.00", id: "0000", level: Unexpected, area: Contoso, category: Jobs, msg: 'System.TypeInitializationException: The type initializer for ''System.Data.SqlClient.SqlConnection'' threw an exception.     at System.Configuration.ClientConfigPaths.SetNamesAndVersion(String applicationFilename, Assembly exeAssembly, Boolean isHttp)'}
    expect: []
  - name: PASS a crawl that works
    uls:
      - {t: "10:00:00.00", id: "dm1k", category: Crawler:Gatherer Plugin, area: SharePoint Server Search, process: mssearch.exe, msg: "CGatherer::LoadTransactionsFromCrawlInternal Flush"}
    expect: []
  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1068_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1068
tests:
  - name: the token may not be replaced
    uls:
      - {t: "10:00:00.00", id: "ai3n0", level: Monitorable, area: Search, category: Document Parsing, process: NodeRunnerContent2-0f7a11d2-3b1, split: 90, msg: "SandboxWorker[3]: Parser server failed to start.  Exception: System.ComponentModel.Win32Exception (0x80004005): Process needs SeAssignPrimaryTokenPrivilege. Cannot continue.     at Microsoft.Ceres.Common.Tools.Sandbox.SandBoxInterop.StartProcess(SandBoxedProcessArguments sbpArgs)"}
    expect:
      - verdict: right-missing
        severity: error
        confidence: likely
        symptoms: {token: 1}
        message: "The account of the search service lacks a user right, so content processing cannot start a parser."
  - name: the memory quota may not be set
    uls:
      - {t: "10:00:00.00", id: "ai3n0", level: Monitorable, area: Search, category: Document Parsing, process: NodeRunnerContent2-0f7a11d2-3b1, msg: "SandboxWorker[3]: Parser server failed to start.  Exception: System.ComponentModel.Win32Exception (0x80004005): Process needs SeIncreaseQuotaPrivilege. Cannot continue."}
    expect: [{verdict: right-missing, symptoms: {quota: 1}}]
  - name: both rights are missing, and the text is translated
    uls:
      - {t: "10:00:00.00", id: "ai3n0", level: Monitorable, area: Search, category: Document Parsing, msg: "SandboxWorker[3]: System.ComponentModel.Win32Exception (0x80004005): Der Prozess benötigt SeAssignPrimaryTokenPrivilege."}
      - {t: "10:00:01.00", id: "ai3n0", level: Monitorable, area: Search, category: Document Parsing, msg: "SandboxWorker[3]: System.ComponentModel.Win32Exception (0x80004005): Der Prozess benötigt SeIncreaseQuotaPrivilege."}
    expect: [{verdict: right-missing, symptoms: {token: 1, quota: 1}}]
  - name: a paste with placeholders for the time
    paste: |
      Date Time   NodeRunnerContent1-11aa22bb-c0d (0x0A80)   0x2850 Search Document Parsing   ai3n0  Monitorable  SandboxWorker[2]: Parser server failed to start.  Exception: System.ComponentModel.Win32Exception (0x80004005): Process needs SeIncreaseQuotaPrivilege. Cannot continue.     at Microsoft.Ceres.Common.Tools.Sandbox.SandBoxInterop.StartProcess(SandBoxedProcessArguments sbpArgs)
    expect: [{verdict: right-missing, symptoms: {quota: 1}}]
  - name: NEAR MISS the parser cannot be started for another reason
    uls:
      - {t: "10:00:00.00", id: "ai3n0", level: Monitorable, area: Search, category: Document Parsing, msg: "SandboxWorker[3]: Parser server failed to start.  Exception: System.ComponentModel.Win32Exception (0x80004005): The system cannot find the file specified."}
    expect: []
  - name: NEAR MISS another service lacks the right
    each: {right: [SeAssignPrimaryTokenPrivilege, SeIncreaseQuotaPrivilege]}
    uls:
      - {t: "10:00:00.00", id: "0000", level: Unexpected, area: Contoso, category: Jobs, msg: "Process needs <right>. Cannot continue."}
    expect: []
  - name: PASS the parser starts
    uls:
      - {t: "10:00:00.00", id: "ai3n1", area: Search, category: Document Parsing, msg: "SandboxWorker[3]: Parser server started."}
    expect: []
  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1073_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1073
tests:
  - name: a document waits
    uls:
      - {t: "10:00:00.00", id: "dtv8", area: SharePoint Server Search, category: Content Plugin, process: mssearch.exe, split: 60, msg: 'At memory capacity. Load is 91%, configured to block at 80%. have been waiting 03:12 to queue this document  [documentmanager.cpp:969]  d:\office\source\search\native\gather\plugins\contentpi\documentmanager.cpp'}
      - {t: "10:03:00.00", id: "dtv8", area: SharePoint Server Search, category: Content Plugin, process: mssearch.exe, msg: 'At memory capacity. Load is 93%, configured to block at 80%. have been waiting 06:12 to queue this document  [documentmanager.cpp:969]'}
    expect:
      - verdict: memory-short
        severity: warning
        confidence: likely
        symptoms: {waiting: 2}
        captures: {load: "91", limit: "80"}
        message: "The content plug-in had to wait for memory before it sent documents to FAST Search (2 row(s), 91% full, limit 80%)."
  - name: a single row is enough
    uls:
      - {t: "10:00:00.00", id: "dtv8", area: SharePoint Server Search, category: Content Plugin, msg: 'At memory capacity. Load is 85%, configured to block at 82%. have been waiting 00:30 to queue this document'}
    expect: [{verdict: memory-short, symptoms: {waiting: 1}, captures: {load: "85", limit: "82"}}]
  - name: a paste with blanks that do not break
    paste: "03/14/2011 09:22:36.40         mssearch.exe (0x0A14)                       0x1558        SharePoint Server Search              Content Plugin                        dtv8        Medium          At memory capacity. Load is 88%, configured to block at\u00A080%. have been waiting 01:10 to queue this document\u00A0 [documentmanager.cpp:969]\n"
    expect: [{verdict: memory-short, symptoms: {waiting: 1}, captures: {load: "88", limit: "80"}}]
  - name: documents wait for minutes
    uls:
      - {t: "10:00:00.00", times: 10, every: 1m, id: "dtv8", area: SharePoint Server Search, category: Content Plugin, msg: 'At memory capacity. Load is 85%, configured to block at 82%. have been waiting 00:30 to queue this document'}
    expect: [{verdict: memory-limit, severity: error, confidence: likely, symptoms: {waiting: 10}, message: "The content plug-in sends no documents to FAST Search: memory is 85% full, and the limit is 82%."}]
  - name: NEAR MISS nine rows
    uls:
      - {t: "10:00:00.00", times: 9, every: 1s, id: "dtv8", area: SharePoint Server Search, category: Content Plugin, msg: 'At memory capacity. Load is 85%, configured to block at 82%. have been waiting 00:30 to queue this document'}
    expect: [{verdict: memory-short, symptoms: {waiting: 9}}]
  - name: NEAR MISS documents wait now and then
    uls:
      - {t: "10:00:00.00", times: 12, every: 5m, id: "dtv8", area: SharePoint Server Search, category: Content Plugin, msg: 'At memory capacity. Load is 85%, configured to block at 82%. have been waiting 00:30 to queue this document'}
    expect: [{verdict: memory-short, symptoms: {waiting: 12}}]
  - name: NEAR MISS another row of the plug-in's queue
    uls:
      - {t: "10:00:00.00", id: "dtv8", area: SharePoint Server Search, category: Content Plugin, msg: 'Load is 41%. have been waiting 00:01 to queue this document  [documentmanager.cpp:969]'}
    expect: []
  - name: NEAR MISS the text in a row of another event
    uls:
      - {t: "10:00:00.00", id: "0000", level: High, area: Contoso, category: Health, msg: 'At memory capacity. Load is 91%, configured to block at 80%.'}
    expect: []
  - name: PASS documents are sent
    uls:
      - {t: "10:00:00.00", id: "dtv7", area: SharePoint Server Search, category: Content Plugin, msg: 'Submitted 100 documents'}
    expect: []
  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1078_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1078
tests:
  - name: batches are refused
    uls:
      - {t: "10:00:00.00", id: "amn28", area: SharePoint Server Search, category: Crawler:Azure Plugin, process: mssearch.exe, thread: "0x2000", msg: 'CAzurePlugin::AdviseStatus AzurePlugin is in throttling mode                    [azurepiobj.cxx:276]  search\native\gather\plugins\azurepi\azurepiobj.cxx'}
      - {t: "10:00:00.10", id: "amn30", level: High, area: SharePoint Server Search, category: Crawler:Azure Plugin, process: mssearch.exe, split: 60, msg: 'CAzurePlugin::SubmitTaskInternal Failed to SubmitDocuments with hr : 0x80040dd1  [azurepiobj.cxx:930]  search\native\gather\plugins\azurepi\azurepiobj.cxx'}
      - {t: "10:00:00.11", id: "15y3", level: High, area: SharePoint Server Search, category: Crawler:Common, process: mssearch.exe, msg: '>>>> Exception hr=0x80040dd1 eip=00007FFA11223344 module=search\native\gather\plugins\azurepi\azurepiobj.cxx line=931'}
    expect:
      - verdict: submissions-refused
        severity: error
        confidence: likely
        symptoms: {submissions: 1, mode: 1}
        message: "SharePoint Online refused 1 batch(es) of crawled items because too many were sent (0x80040dd1)."
  - name: batches are refused, and the row that says why is not in the log
    uls:
      - {t: "10:00:00.10", id: "amn30", level: High, area: SharePoint Server Search, category: Crawler:Azure Plugin, msg: 'CAzurePlugin::SubmitTaskInternal Failed to SubmitDocuments with hr : 0x80040DD1'}
    expect: [{verdict: submissions-refused, symptoms: {submissions: 1}}]
  - name: the crawler slows down and no batch is refused
    uls:
      - {t: "10:00:00.00", id: "amn28", area: SharePoint Server Search, category: Crawler:Azure Plugin, msg: 'CAzurePlugin::AdviseStatus AzurePlugin is in throttling mode'}
    expect:
      - verdict: throttling-mode
        severity: warning
        confidence: likely
        symptoms: {mode: 1}
  - name: a paste without times
    paste: "mssearch.exe (0x2A10)\t0x1B04\tSharePoint Server Search\tCrawler:Azure Plugin\tamn28\tMedium\tCAzurePlugin::AdviseStatus AzurePlugin is in throttling mode                    [azurepiobj.cxx:276]\t\nmssearch.exe (0x2A10)\t0x1C08\tSharePoint Server Search\tCrawler:Azure Plugin\tamn30\tHigh\tCAzurePlugin::SubmitTaskInternal Failed to SubmitDocuments with hr : 0x80040dd1  [azurepiobj.cxx:930]\t\n"
    expect: [{verdict: submissions-refused, symptoms: {submissions: 1, mode: 1}}]
  - name: NEAR MISS a batch fails for another reason
    uls:
      - {t: "10:00:00.10", id: "amn30", level: High, area: SharePoint Server Search, category: Crawler:Azure Plugin, msg: 'CAzurePlugin::SubmitTaskInternal Failed to SubmitDocuments with hr : 0x80131500'}
    expect: []
  - name: NEAR MISS the crawler changes to another mode
    uls:
      - {t: "10:00:00.00", id: "amn28", area: SharePoint Server Search, category: Crawler:Azure Plugin, msg: 'CAzurePlugin::AdviseStatus AzurePlugin is in normal mode'}
    expect: []
  - name: NEAR MISS the code and the mode in rows of other events
    uls:
      - {t: "10:00:00.00", id: "15y3", level: High, area: SharePoint Server Search, category: Crawler:Common, msg: '>>>> Exception hr=0x80040dd1 module=plugins\contentpi\documentmanager.cpp line=12'}
      - {t: "10:00:01.00", id: "0000", level: High, area: Contoso, category: Jobs, msg: 'The service is in throttling mode'}
    expect: []
  - name: PASS batches are accepted
    uls:
      - {t: "10:00:00.00", id: "amn2z", area: SharePoint Server Search, category: Crawler:Azure Plugin, msg: 'CAzurePlugin::SubmitTask submitted 20 documents'}
    expect: []
  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1079_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1079
tests:
  - name: an item is refused, in all versions
    each: {tag: [ayg2m, amnz2, amoeu]}
    uls:
      - {t: "10:00:00.00", id: "a9sz7", level: Verbose, area: SharePoint Server Search, category: Crawler:Azure Plugin, process: mssearch.exe, msg: 'AzureServiceProxy::SubmitDocuments: submit returned : Forbidden, docid : 77120 DocIDString : sts4s://sp.contoso.com/'}
      - {t: "10:00:00.01", id: "<tag>", level: High, area: SharePoint Server Search, category: Crawler:Azure Plugin, process: mssearch.exe, split: 50, msg: 'AzureServiceProxy::SubmitDocuments: submit failed for the document: HTTP status: Forbidden'}
    expect:
      - verdict: item-refused
        severity: warning
        confidence: likely
        symptoms: {refused: 1}
        message: "SharePoint Online refused crawled items (Forbidden, 1 row(s)); a used-up index quota is possible, and so are missing rights of the farm."
  - name: a paste that lost the first columns
    paste: |
      SharePoint Server Search Crawler:Azure Plugin ayg2m High AzureServiceProxy::SubmitDocuments: submit failed for the document: HTTP status: Forbidden
    expect: [{verdict: item-refused, symptoms: {refused: 1}}]
  - name: items are refused again and again
    uls:
      - {t: "10:00:00.00", times: 10, every: 1m, id: "ayg2m", level: High, area: SharePoint Server Search, category: Crawler:Azure Plugin, msg: 'AzureServiceProxy::SubmitDocuments: submit failed for the document: HTTP status: Forbidden'}
    expect: [{verdict: quota-used-up, severity: error, confidence: likely, symptoms: {refused: 10}, message: "SharePoint Online refuses crawled items again and again (Forbidden, 10 row(s)): most often the tenant's index quota for on-premises items is used up."}]
  - name: NEAR MISS nine items are refused
    uls:
      - {t: "10:00:00.00", times: 9, every: 1s, id: "ayg2m", level: High, area: SharePoint Server Search, category: Crawler:Azure Plugin, msg: 'AzureServiceProxy::SubmitDocuments: submit failed for the document: HTTP status: Forbidden'}
    expect: [{verdict: item-refused, symptoms: {refused: 9}}]
  - name: NEAR MISS an item is refused now and then
    uls:
      - {t: "10:00:00.00", times: 12, every: 5m, id: "ayg2m", level: High, area: SharePoint Server Search, category: Crawler:Azure Plugin, msg: 'AzureServiceProxy::SubmitDocuments: submit failed for the document: HTTP status: Forbidden'}
    expect: [{verdict: item-refused, symptoms: {refused: 12}}]
  - name: NEAR MISS an item is refused with another status
    uls:
      - {t: "10:00:00.01", id: "ayg2m", level: High, area: SharePoint Server Search, category: Crawler:Azure Plugin, msg: 'AzureServiceProxy::SubmitDocuments: submit failed for the document: HTTP status: ServiceUnavailable'}
    expect: []
  - name: NEAR MISS a web server on premises answers Forbidden
    uls:
      - {t: "10:00:00.01", id: "dw1k", level: High, area: SharePoint Server Search, category: Crawler:Gatherer Plugin, msg: 'http://sp.contoso.com/sites/hr: HTTP status: Forbidden'}
    expect: []
  - name: PASS an item is accepted
    uls:
      - {t: "10:00:00.00", id: "a9sz7", level: Verbose, area: SharePoint Server Search, category: Crawler:Azure Plugin, msg: 'AzureServiceProxy::SubmitDocuments: submit returned : OK, docid : 77121 DocIDString : sts4s://sp.contoso.com/'}
    expect: []
  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1082_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1082
tests:
  - name: a workflow cannot be compiled
    uls:
      - {t: "10:00:00.00", id: "72fs", level: Unexpected, category: Workflow Infrastructure, corr: A, split: 80, msg: 'RunWorkflow: Microsoft.SharePoint.SPException: <Error><CompilerError Line="-1" Column="-1" Text="Type System.CodeDom.CodeMethodInvokeExpression is not marked as authorized in the application configuration file." /><CompilerError Line="-1" Column="-1" Text="Type System.CodeDom.CodePrimitiveExpression is not marked as authorized in the application configuration file." /></Error>'}
    expect:
      - verdict: type-not-authorized
        severity: error
        confidence: likely
        symptoms: {stopped: 1}
        captures: {type: CodeMethodInvokeExpression}
        message: "Workflows cannot run: type System.CodeDom.CodeMethodInvokeExpression is not among the authorized types of the configuration."
  - name: the text of the compiler is translated
    uls:
      - {t: "10:00:00.00", id: "72fs", level: Unexpected, category: Workflow Infrastructure, corr: A, msg: 'RunWorkflow: Microsoft.SharePoint.SPException: <Error><CompilerError Line="-1" Column="-1" Text="Der Typ System.CodeDom.CodeBinaryOperatorExpression ist in der Anwendungskonfigurationsdatei nicht als autorisiert gekennzeichnet." /></Error>'}
    expect: [{verdict: type-not-authorized, captures: {type: CodeBinaryOperatorExpression}}]
  - name: a paste with placeholders for the time, cut at its end
    paste: |
      <Date> <Time> w3wp.exe (0x0A44) 0x1E08 SharePoint Foundation Workflow Infrastructure 72fs Unexpected RunWorkflow: Microsoft.SharePoint.SPException: <Error><CompilerError Line="-1" Column="-1" Text="Type System.CodeDom.CodeThisReferenceExpression is not marked as authorized in the application configuration file." /><CompilerError Line="-1" Column="-1"…
    expect: [{verdict: type-not-authorized, captures: {type: CodeThisReferenceExpression}}]
  - name: an action of SharePoint is not authorized, in any language, whatever else is
    each: {text: ["is not marked as authorized in the application configuration file.", "ist in der Anwendungskonfigurationsdatei nicht als autorisiert gekennzeichnet."]}
    uls:
      - {t: "10:00:00.00", id: "72fs", level: Unexpected, category: Workflow Infrastructure, corr: A, split: 80, msg: 'RunWorkflow: Microsoft.SharePoint.SPException: <Error><CompilerError Line="-1" Column="-1" Text="Type Microsoft.SharePoint.WorkflowActions.WithKey <text>" /></Error>'}
      - {t: "10:00:01.00", id: "72fs", level: Unexpected, category: Workflow Infrastructure, corr: B, msg: 'RunWorkflow: Microsoft.SharePoint.SPException: <Error><CompilerError Line="-1" Column="-1" Text="Type System.CodeDom.CodePrimitiveExpression <text>" /></Error>'}
    expect:
      - verdict: action-not-authorized
        severity: error
        confidence: likely
        symptoms: {stopped: 1, stopped_by_action: 1}
        message: "Workflows cannot run: type Microsoft.SharePoint.WorkflowActions.WithKey is not among the authorized types of the configuration."
  - name: NEAR MISS an action of SharePoint fails at work, and is named in another event
    uls:
      - {t: "10:00:00.00", id: "72fs", level: Unexpected, category: Workflow Infrastructure, msg: 'RunWorkflow: System.ArgumentException: No value.     at Microsoft.SharePoint.WorkflowActions.WithKey.Get (Object key)'}
      - {t: "10:00:01.00", id: "0000", level: Unexpected, area: Contoso, category: Deploy, msg: '<CompilerError Line="-1" Column="-1" Text="Type Microsoft.SharePoint.WorkflowActions.WithKey is not marked as authorized in the application configuration file." />'}
    expect: []
  - name: NEAR MISS a type of another product is not authorised
    uls:
      - {t: "10:00:00.00", id: "72fs", level: Unexpected, category: Workflow Infrastructure, msg: 'RunWorkflow: Microsoft.SharePoint.SPException: <Error><CompilerError Line="-1" Column="-1" Text="Type Contoso.Workflow.Approve is not marked as authorized in the application configuration file." /></Error>'}
    expect: []
  - name: NEAR MISS a workflow fails at work in a class of System.CodeDom
    uls:
      - {t: "10:00:00.00", id: "72fs", level: Unexpected, category: Workflow Infrastructure, msg: 'RunWorkflow: System.ArgumentException: Invalid code.     at System.CodeDom.Compiler.CodeGenerator.ValidateIdentifiers(CodeObject e)'}
    expect: []
  - name: NEAR MISS the text in a row of another event
    uls:
      - {t: "10:00:00.00", id: "0000", level: Unexpected, area: Contoso, category: Deploy, msg: '<CompilerError Line="-1" Column="-1" Text="Type System.CodeDom.CodeBinaryOperatorExpression is not marked as authorized in the application configuration file." />'}
    expect: []
  - name: PASS a workflow runs
    uls:
      - {t: "10:00:00.00", id: "88xr", category: Workflow Infrastructure, msg: 'Workflow instance was started.'}
    expect: []
  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1087_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1087
tests:
  - name: the service cannot start
    uls:
      - {t: "10:00:00.00", id: "g144", level: Unexpected, area: SharePoint Portal Server, category: User Profiles, process: OWSTIMER.EXE, corr: A, split: 100, msg: 'Failed to set the new Service Broker on database UPS_Sync on server SQL02.contoso.com. Exception: The operation cannot be performed on database "UPS_Sync" because it is involved in a database mirroring session or an availability group.'}
      - {t: "10:00:00.10", id: "9sip", level: High, area: SharePoint Portal Server, category: User Profiles, process: OWSTIMER.EXE, corr: A, split: 100, msg: 'UserProfileApplication.SynchronizeMIIS: Failed to configure MIIS post database, will attempt during next rerun. Exception: System.Data.SqlClient.SqlException (0x80131904): The operation cannot be performed on database "UPS_Sync" because it is involved in a database mirroring session or an availability group.     at Microsoft.Office.Server.Administration.SynchronizationDatabase.EnableServiceBroker()  ClientConnectionId:4a0f  Error Number:1468,State:1,Class:16'}
    expect:
      - verdict: database-mirrored
        severity: error
        confidence: likely
        symptoms: {broker: 1, setup: 1}
        captures: {database: UPS_Sync, server: SQL02.contoso.com}
        message: "User profile synchronization cannot start: UPS_Sync on SQL02.contoso.com is in an availability group or a mirroring session."
  - name: only the row of the Service Broker is in the log
    uls:
      - {t: "10:00:00.00", id: "g144", level: Unexpected, area: SharePoint Portal Server, category: User Profiles, msg: 'Failed to set the new Service Broker on database UPS_Sync on server SQL02. Exception: The operation cannot be performed on database "UPS_Sync" because it is involved in a database mirroring session or an availability group.'}
    expect: [{verdict: database-mirrored, symptoms: {broker: 1}, captures: {database: UPS_Sync, server: SQL02}}]
  - name: SQL Server speaks another language
    uls:
      - {t: "10:00:00.10", id: "9sip", level: High, area: SharePoint Portal Server, category: User Profiles, msg: 'UserProfileApplication.SynchronizeMIIS: System.Data.SqlClient.SqlException (0x80131904): Der Vorgang kann für die Datenbank nicht ausgeführt werden.     bei Microsoft.Office.Server.Administration.SynchronizationDatabase.EnableServiceBroker()  ClientConnectionId:4a0f  Fehlernummer:1468,Status:1,Klasse:16'}
    expect:
      - verdict: database-mirrored
        symptoms: {setup: 1}
        message: "User profile synchronization cannot start: its synchronization database on SQL Server is in an availability group or a mirroring session."
  - name: a paste whose stack trace stands on lines of its own
    paste: |
      OWSTIMER.EXE (0x1A40) 0x2B10 SharePoint Portal Server User Profiles 9sip High UserProfileApplication.SynchronizeMIIS: Failed to configure MIIS post database, will attempt during next rerun. Exception: System.Data.SqlClient.SqlException (0x80131904): The operation cannot be performed on database UPS_Sync because it is involved in a database mirroring session or an availability group.
      at System.Data.SqlClient.SqlCommand.ExecuteNonQuery()
      at Microsoft.Office.Server.Administration.SynchronizationDatabase.EnableServiceBroker()
      ClientConnectionId:4a0f  Error Number:1468,State:1,Class:16.
    expect: [{verdict: database-mirrored, symptoms: {setup: 1}}]
  - name: NEAR MISS the Service Broker is refused for another reason
    uls:
      - {t: "10:00:00.00", id: "g144", level: Unexpected, area: SharePoint Portal Server, category: User Profiles, msg: 'Failed to set the new Service Broker on database UPS_Sync on server SQL02. Exception: User does not have permission to alter database.'}
      - {t: "10:00:00.10", id: "9sip", level: High, area: SharePoint Portal Server, category: User Profiles, msg: 'UserProfileApplication.SynchronizeMIIS: System.Data.SqlClient.SqlException (0x80131904): User does not have permission.     at Microsoft.Office.Server.Administration.SynchronizationDatabase.EnableServiceBroker()  Error Number:5011,State:5,Class:14'}
    expect: []
  - name: NEAR MISS another change is refused because of mirroring
    uls:
      - {t: "10:00:00.10", id: "9sip", level: High, area: SharePoint Portal Server, category: User Profiles, msg: 'UserProfileApplication.SynchronizeMIIS: System.Data.SqlClient.SqlException (0x80131904): The operation cannot be performed.     at Microsoft.Office.Server.Administration.SynchronizationDatabase.Provision()  Error Number:1468,State:1,Class:16'}
    expect: []
  - name: NEAR MISS mirroring in rows of other events
    uls:
      - {t: "10:00:00.00", id: "880i", level: High, category: Database, msg: 'The operation cannot be performed on database "WSS_Content" because it is involved in a database mirroring session or an availability group.'}
      - {t: "10:00:00.10", id: "880j", level: High, category: Database, msg: 'at Microsoft.Office.Server.Administration.SynchronizationDatabase.EnableServiceBroker()  Error Number:1468,State:1,Class:16'}
    expect: []
  - name: PASS the service starts
    uls:
      - {t: "10:00:00.00", id: "9i1u", area: SharePoint Portal Server, category: User Profiles, msg: "UserProfileApplication.SynchronizeMIIS: End setup for 'User Profile Service'."}
    expect: []
  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1089_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1089
tests:
  - name: the update lacks the method, all rows of the job are one failure of this rule alone
    with: [FS1002, FS1018]
    uls:
      - {t: "11:04:29.10", id: ogup, area: SharePoint Portal Server, category: Personal Site Instantiation, process: OWSTIMER.EXE, corr: A, msg: "[Processing] Attempting to create personal site at (http://my.contoso.local/personal/jane) for user: (CONTOSO\\jane)."}
      - {t: "11:04:29.10", id: "5187", level: Critical, area: SharePoint Portal Server, category: Administration, process: OWSTIMER.EXE, corr: A, msg: "My Site creation failure for user 'CONTOSO\\jane' for site url 'http://my.contoso.local/personal/jane'. The exception was: System.MissingMethodException: Method not found: 'Microsoft.SharePoint.SPSite Microsoft.SharePoint.SPSite.SelfServiceCreateSite(System.String, System.String, UInt32, Microsoft.SharePoint.SPSiteSubscription)'.     at Microsoft.Office.Server.UserProfiles.UserProfile.<>c__DisplayClass2.<CreateSite>b__0()     at Microsoft.SharePoint.SPSecurity.RunWithElevatedPrivileges(WaitCallback secureCode, Object param)."}
      - {t: "11:04:29.10", id: ogsj, level: High, area: SharePoint Portal Server, category: Personal Site Instantiation, process: OWSTIMER.EXE, corr: A, msg: "Exception while creating personal site: () for (CONTOSO\\jane): (System.MissingMethodException: Method not found: 'Microsoft.SharePoint.SPSite Microsoft.SharePoint.SPSite.SelfServiceCreateSite(System.String, System.String, UInt32, Microsoft.SharePoint.SPSiteSubscription)'.     at Microsoft.Office.Server.UserProfiles.UserProfile.<>c__DisplayClass2.<CreateSite>b__0())."}
      - {t: "11:04:29.10", id: ajjul, level: Exception, area: SharePoint Portal Server, category: Personal Site Instantiation, process: OWSTIMER.EXE, corr: A, split: 200, msg: "Exception during creation of personal site from MySiteInstantiationWorkItemJobDefinition::ProcessWorkItemCore() for CONTOSO\\jane System.MissingMethodException: Method not found: 'Microsoft.SharePoint.SPSite Microsoft.SharePoint.SPSite.SelfServiceCreateSite(System.String, System.String, UInt32, Microsoft.SharePoint.SPSiteSubscription)'.     at Microsoft.Office.Server.UserProfiles.UserProfile.<>c__DisplayClass2.<CreateSite>b__0()"}
      - {t: "11:04:29.10", id: ajjun, level: Unexpected, area: SharePoint Portal Server, category: Personal Site Instantiation, process: OWSTIMER.EXE, corr: A, msg: "MySiteInstantiationJob:ProcessWorkItem: ProcessWorkItemCore for My Site Instantiation for: 'CONTOSO\\jane' failed. Error Message: Method not found: 'Microsoft.SharePoint.SPSite Microsoft.SharePoint.SPSite.SelfServiceCreateSite(System.String, System.String, UInt32, Microsoft.SharePoint.SPSiteSubscription)'."}
    expect:
      - {verdict: missing-method, severity: error, confidence: likely, symptoms: {failed: 1, missing: 1}, captures: {user: "CONTOSO\\jane", url: "http://my.contoso.local/personal/jane"}}

  - name: the update lacks the method, on a page
    with: [FS1002, FS1018]
    uls:
      - {t: "11:04:29.10", id: 8nca, corr: A, msg: "Application error when access /_layouts/15/start.aspx, Error=Methode nicht gefunden: \"Microsoft.SharePoint.SPSite Microsoft.SharePoint.SPSite.SelfServiceCreateSite(System.String)\".   bei Microsoft.Office.Server.UserProfiles.UserProfile.CreateSite(String strRequestUrl)"}
      - {t: "11:04:29.10", id: tkau, level: Unexpected, category: Runtime, corr: A, msg: "System.MissingMethodException: Methode nicht gefunden: \"Microsoft.SharePoint.SPSite Microsoft.SharePoint.SPSite.SelfServiceCreateSite(System.String)\".   bei Microsoft.Office.Server.UserProfiles.UserProfile.CreateSite(String strRequestUrl)"}
    expect:
      - {verdict: missing-method, symptoms: {missing: 1}}

  - name: the managed path is missing
    uls:
      - {t: "21:11:02.00", id: "5187", level: Critical, area: SharePoint Portal Server, category: Administration, process: OWSTIMER.EXE, corr: A, msg: "My Site creation failure for user 'CONTOSO\\jane' for site url 'http://my.contoso.local/personal/jane'. The exception was: Microsoft.Office.Server.UserProfiles.PersonalSiteCreateConfigurationException: A failure was encountered while attempting to create the site, wildcard inclusion used to create personal sites does not exist.    at Microsoft.Office.Server.UserProfiles.UserProfile.<>c__DisplayClass2.<CreateSite>b__0()"}
      - {t: "21:11:02.00", id: ajjun, level: Unexpected, area: SharePoint Portal Server, category: Personal Site Instantiation, process: OWSTIMER.EXE, corr: A, msg: "Microsoft.Office.Server.UserProfiles.PersonalSiteCreateConfigurationException: A failure was encountered."}
    expect:
      - {verdict: managed-path, severity: error, confidence: likely, symptoms: {failed: 1, configuration: 1}}

  - name: the configuration is wrong, by the row of the job alone
    uls:
      - {t: "21:11:02.00", id: ogsj, level: High, area: SharePoint Portal Server, category: Personal Site Instantiation, process: OWSTIMER.EXE, corr: A, msg: "Exception while creating personal site: () for (CONTOSO\\jane): (Microsoft.Office.Server.UserProfiles.PersonalSiteCreateConfigurationException: Der Platzhalterpfad ist nicht vorhanden.    bei Microsoft.Office.Server.UserProfiles.UserProfile.CreateSite(String strRequestUrl))."}
    expect:
      - {verdict: configuration, severity: error, confidence: likely, symptoms: {configuration: 1}}

  - name: the missing method comes first where both are missing
    uls:
      - {t: "21:11:02.00", id: ogsj, level: High, area: SharePoint Portal Server, category: Personal Site Instantiation, process: OWSTIMER.EXE, corr: A, msg: "Exception while creating personal site: (Microsoft.Office.Server.UserProfiles.PersonalSiteCreateConfigurationException: The wildcard inclusion does not exist.)"}
      - {t: "21:12:02.00", id: ogsj, level: High, area: SharePoint Portal Server, category: Personal Site Instantiation, process: OWSTIMER.EXE, corr: B, msg: "Exception while creating personal site: (System.MissingMethodException: Method not found: 'Microsoft.SharePoint.SPSite Microsoft.SharePoint.SPSite.SelfServiceCreateSite(System.String)'.)"}
    expect:
      - {verdict: missing-method, symptoms: {missing: 1}}

  - name: rows that are below Monitorable and report the missing method
    each: {tag: [ajlz0, ogsj]}
    uls:
      - {t: "11:04:29.10", id: "<tag>", level: High, corr: A, msg: "System.MissingMethodException: Methode nicht gefunden: \"Microsoft.SharePoint.SPSite Microsoft.SharePoint.SPSite.SelfServiceCreateSite(System.String)\".   bei Microsoft.Office.Server.UserProfiles.UserProfile.CreateSite(String strRequestUrl)"}
    expect:
      - {verdict: missing-method, symptoms: {missing: 1}}

  - name: the method is missing, each level from Monitorable on
    each: {level: [Critical, Monitorable]}
    uls:
      - {t: "11:04:29.10", id: zq1a, level: "<level>", corr: A, msg: "Method not found: 'Microsoft.SharePoint.SPSite Microsoft.SharePoint.SPSite.SelfServiceCreateSite(System.String)'."}
    expect:
      - {verdict: missing-method, symptoms: {missing: 1}}

  - name: the configuration is wrong, each level from Monitorable on
    each: {level: [Critical, Monitorable]}
    uls:
      - {t: "21:11:02.00", id: zq1a, level: "<level>", area: SharePoint Portal Server, category: Personal Site Instantiation, corr: A, msg: "Microsoft.Office.Server.UserProfiles.PersonalSiteCreateConfigurationException: A failure was encountered."}
    expect:
      - {verdict: configuration, symptoms: {configuration: 1}}

  - name: another exception, in another language
    uls:
      - {t: "21:11:02.00", id: "5187", level: Critical, area: SharePoint Portal Server, category: Administration, process: OWSTIMER.EXE, corr: A, msg: "Fehler beim Erstellen der persönlichen Website. Ausnahme: System.UnauthorizedAccessException: Zugriff verweigert.    bei Microsoft.SharePoint.SPSite.SelfServiceCreateSite(String siteUrl)"}
      - {t: "21:11:03.00", id: "5187", level: Critical, area: SharePoint Portal Server, category: Administration, process: OWSTIMER.EXE, corr: B, msg: "My Site creation failure for user 'CONTOSO\\kim' for site url 'http://my.contoso.local/personal/kim'. The exception was: System.UnauthorizedAccessException: Access is denied."}
      - {t: "21:11:04.00", id: "5187", level: Critical, area: SharePoint Portal Server, category: Administration, process: OWSTIMER.EXE, corr: B, msg: "My Site creation failure for user 'CONTOSO\\kim' for site url 'http://my.contoso.local/personal/kim'. The exception was: System.UnauthorizedAccessException: Access is denied."}
    expect:
      - {verdict: failed, severity: error, confidence: likely, symptoms: {failed: 2}, captures: {user: "CONTOSO\\kim"}}

  - name: a bare message as somebody pasted it
    paste: |
      System.MissingMethodException: Method not found: 'Microsoft.SharePoint.SPSite Microsoft.SharePoint.SPSite.SelfServiceCreateSite(System.String)'. at Microsoft.Office.Server.UserProfiles.UserProfile.CreateSite(String strRequestUrl)
    expect:
      - {verdict: missing-method, symptoms: {missing: 1}}

  - name: the managed path is missing, by each of the rows that say so
    each: {tag: ["5187", ogsj]}
    uls:
      - {t: "21:11:02.00", id: "<tag>", level: Unexpected, area: SharePoint Portal Server, category: Administration, process: OWSTIMER.EXE, corr: A, msg: "Microsoft.Office.Server.UserProfiles.PersonalSiteCreateConfigurationException: A failure was encountered while attempting to create the site, wildcard inclusion used to create personal sites does not exist."}
    expect:
      - {verdict: managed-path}

  - name: NEAR MISS the configuration is wrong for another reason
    uls:
      - {t: "21:11:02.00", id: ogsj, level: High, area: SharePoint Portal Server, category: Personal Site Instantiation, process: OWSTIMER.EXE, corr: A, msg: "Exception while creating personal site: (Microsoft.Office.Server.UserProfiles.PersonalSiteCreateConfigurationException: The quota template does not exist.)"}
      - {t: "21:11:03.00", id: ogsj, level: High, area: SharePoint Portal Server, category: Personal Site Instantiation, process: OWSTIMER.EXE, corr: A, msg: "Exception while creating personal site: a wildcard inclusion was skipped."}
      - {t: "21:11:04.00", id: zq1a, level: High, area: Contoso, category: Personal Site Instantiation, process: OWSTIMER.EXE, corr: A, msg: "Microsoft.Office.Server.UserProfiles.PersonalSiteCreateConfigurationException: The wildcard inclusion does not exist."}
    expect:
      - {verdict: configuration, symptoms: {configuration: 1}, message: "Personal sites cannot be created: their configuration is wrong, and the row says what; often a managed path is missing (user not logged, address not logged)."}

  - name: the configuration is wrong, in the event itself
    uls:
      - {t: "21:11:02.00", id: "5187", level: Critical, area: SharePoint Portal Server, category: Administration, process: OWSTIMER.EXE, corr: A, msg: "My Site creation failure for user 'CONTOSO\\jane' for site url 'http://my.contoso.local/personal/jane'. The exception was: Microsoft.Office.Server.UserProfiles.PersonalSiteCreateConfigurationException: The quota template does not exist."}
    expect:
      - {verdict: configuration, symptoms: {failed: 1, configuration: 1}}

  - name: NEAR MISS the number 5187 of another component
    uls:
      - {t: "21:11:02.00", id: "5187", level: Critical, area: Contoso, category: Administration, corr: A, msg: "Site creation failure for user 'CONTOSO\\jane' for site url 'http://portal.contoso.local/sites/jane'."}
    expect: []

  - name: NEAR MISS the same text under another ID
    uls:
      - {t: "21:11:02.00", id: zq1a, level: Critical, area: SharePoint Portal Server, category: Administration, corr: A, msg: "My Site creation failure for user 'CONTOSO\\jane' for site url 'http://my.contoso.local/personal/jane'."}
    expect: []

  - name: NEAR MISS another method is missing
    uls:
      - {t: "21:11:02.00", id: tkau, level: Unexpected, category: Runtime, corr: A, msg: "System.MissingMethodException: Method not found: 'Microsoft.SharePoint.SPSite Microsoft.SharePoint.SPSite.Renew(System.String)'.    at Microsoft.Office.Server.UserProfiles.UserProfile.Load()"}
      - {t: "21:11:02.00", id: 8nca, corr: A, msg: "Application error when access /a.aspx, Error=Method not found: 'Microsoft.SharePoint.SPSite Microsoft.SharePoint.SPSite.Renew(System.String)'."}
    expect: []

  - name: NEAR MISS the texts below Monitorable and under another ID
    uls:
      - {t: "21:11:02.00", id: zq1a, level: High, corr: A, msg: "Method not found: 'Microsoft.SharePoint.SPSite Microsoft.SharePoint.SPSite.SelfServiceCreateSite(System.String)'."}
      - {t: "21:11:02.00", id: zq1a, level: High, corr: A, msg: "Handled Microsoft.Office.Server.UserProfiles.PersonalSiteCreateConfigurationException: A failure was encountered."}
    expect: []

  - name: NEAR MISS another exception of personal sites
    uls:
      - {t: "21:11:01.00", id: ogsj, level: High, area: SharePoint Portal Server, category: Personal Site Instantiation, corr: A, msg: "Exception while creating personal site: (Microsoft.Office.Server.UserProfiles.PersonalSiteExistsException: The site exists.)"}
      - {t: "21:11:02.00", id: zq1a, level: Unexpected, area: SharePoint Portal Server, category: Personal Site Instantiation, corr: A, msg: "Microsoft.Office.Server.UserProfiles.PersonalSiteExistsException: The site exists."}
    expect: []

  - name: PASS a personal site is created
    uls:
      - {t: "11:04:29.10", id: ogso, area: SharePoint Portal Server, category: Personal Site Instantiation, process: OWSTIMER.EXE, corr: A, msg: "[Processing] CreatePersonalSite: Testing for personal site: (http://my.contoso.local/personal/jane) for user: (CONTOSO\\jane)."}
      - {t: "11:04:29.10", id: ogup, area: SharePoint Portal Server, category: Personal Site Instantiation, process: OWSTIMER.EXE, corr: A, msg: "[Processing] Attempting to create personal site at (http://my.contoso.local/personal/jane) for user: (CONTOSO\\jane)."}
    expect: []

  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1091_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1091
tests:
  - name: the identity is lost, another request in between
    uls:
      - {t: "10:00:00.00", id: "xmnv", category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://app01:32843/9d0f/SecureStoreService.svc)"}
      - {t: "10:00:00.01", id: "eft7", level: High, area: Secure Store Service, category: Secure Store, corr: A, msg: "ChangeMasterSecretKey called."}
      - {t: "10:00:00.02", id: "7fd9", level: Unexpected, corr: A, msg: "ERROR: Failed to OpenThreadToken, LastError=1008"}
      - {t: "10:00:00.03", id: "8kh7", level: High, corr: A, msg: "Cannot complete this action.  Please try again."}
      - {t: "10:00:00.03", id: "xmnv", category: Logging Correlation Data, corr: B, msg: "Name=Request (GET:http://sp.contoso.com/)"}
      - {t: "10:00:00.04", id: "eft9", level: Unexpected, area: Secure Store Service, category: Secure Store, corr: A, split: 90, msg: "ChangeMasterSecretKey failed with exception : Microsoft.SharePoint.SPException: Cannot complete this action.  Please try again. ---> System.Runtime.InteropServices.COMException: Cannot complete this action.     at Microsoft.SharePoint.Administration.SPAcl`1.CalculatePermissions()     at Microsoft.Office.SecureStoreService.Server.KeyManagement.KeyManager.DemandUserIsAdmin(KeyManagementOperation operation)"}
      - {t: "10:00:00.09", id: "b4ly", category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://app01:32843/9d0f/SecureStoreService.svc)). Execution Time=91"}
    expect:
      - verdict: no-identity
        severity: warning
        confidence: likely
        symptoms: {lost_identity: 1}
        captures: {exception: Microsoft.SharePoint.SPException}
  - name: the known bug, with each build that has it, and each row that names it
    each: {tag: [c91s, ajyxu], build: ["16.0.4549.", "16.0.4561.", "16.0.4573."]}
    uls:
      - {t: "09:59:00.00", id: "<tag>", level: Monitorable, category: Watson, corr: W, msg: 'Watson bucket parameters: Microsoft SharePoint 2016, ULSException14, 06300006 "sharepoint foundation", 10000b5a "<build>1001.0", 39000000 "microsoft.sharepoint"'}
      - {t: "10:00:00.00", id: "xmnv", category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://app01:32843/9d0f/SecureStoreService.svc)"}
      - {t: "10:00:00.01", id: "eft7", level: High, area: Secure Store Service, category: Secure Store, corr: A, msg: "ChangeMasterSecretKey called."}
      - {t: "10:00:00.02", id: "7fd9", level: Unexpected, corr: A, msg: "ERROR: Failed to OpenThreadToken, LastError=1008"}
      - {t: "10:00:00.03", id: "8kh7", level: High, corr: A, msg: "Cannot complete this action.  Please try again."}
      - {t: "10:00:00.03", id: "xmnv", category: Logging Correlation Data, corr: B, msg: "Name=Request (GET:http://sp.contoso.com/)"}
      - {t: "10:00:00.04", id: "eft9", level: Unexpected, area: Secure Store Service, category: Secure Store, corr: A, split: 90, msg: "ChangeMasterSecretKey failed with exception : Microsoft.SharePoint.SPException: Cannot complete this action.  Please try again. ---> System.Runtime.InteropServices.COMException: Cannot complete this action.     at Microsoft.SharePoint.Administration.SPAcl`1.CalculatePermissions()     at Microsoft.Office.SecureStoreService.Server.KeyManagement.KeyManager.DemandUserIsAdmin(KeyManagementOperation operation)"}
      - {t: "10:00:00.09", id: "b4ly", category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://app01:32843/9d0f/SecureStoreService.svc)). Execution Time=91"}
    expect:
      - verdict: known-bug
        severity: error
        confidence: likely
        symptoms: {lost_identity: 1, build: 1}
        captures: {exception: Microsoft.SharePoint.SPException}
  - name: a paste without times, processes and threads, its text translated
    paste: "Secure Store Service\tSecure Store\teft7\tHigh\tChangeMasterSecretKey called.\nSharePoint Foundation\tGeneral\t7fd9\tUnexpected\tERROR: Failed to OpenThreadToken, LastError=1008\nSecure Store Service\tSecure Store\teft9\tUnexpected\tChangeMasterSecretKey: Microsoft.SharePoint.SPException: Diese Aktion kann nicht abgeschlossen werden.    bei Microsoft.SharePoint.Library.SPRequest.CalculatePermissionsForCurrentThread(Object& pvarAcl)\n"
    expect: [{verdict: no-identity, symptoms: {lost_identity: 1}}]
  - name: the caller is no administrator
    uls:
      - {t: "10:00:00.00", id: "xmnv", category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://app01:32843/9d0f/SecureStoreService.svc)"}
      - {t: "10:00:00.04", id: "eft9", level: Unexpected, area: Secure Store Service, category: Secure Store, corr: A, msg: "ChangeMasterSecretKey failed with exception : System.UnauthorizedAccessException: User does not have permission to perform this operation."}
      - {t: "10:00:00.09", id: "b4ly", category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://app01:32843/9d0f/SecureStoreService.svc)). Execution Time=91"}
    expect:
      - verdict: key-not-changed
        severity: warning
        confidence: likely
        symptoms: {failed: 1}
        captures: {exception: System.UnauthorizedAccessException}
        undecided: []
        message: "The master key of the Secure Store Service was not changed (System.UnauthorizedAccessException)."
  - name: a log that begins in the middle of the request cannot tell the bug
    uls:
      - {t: "10:00:00.04", id: "eft9", level: Unexpected, area: Secure Store Service, category: Secure Store, corr: A, msg: "ChangeMasterSecretKey failed with exception : Microsoft.SharePoint.SPException: Cannot complete this action.  Please try again.    at Microsoft.SharePoint.Administration.SPAcl`1.CalculatePermissions()"}
      - {t: "10:00:00.09", id: "b4ly", category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://app01:32843/9d0f/SecureStoreService.svc)). Execution Time=91"}
    expect: [{verdict: key-not-changed, undecided: [no-identity]}]
  - name: NEAR MISS a row of 2013 that names its build
    uls:
      - {t: "09:59:00.00", id: "c91s", level: Monitorable, category: Watson, corr: W, msg: 'Watson bucket parameters: Microsoft SharePoint 2016, ULSException14, 06300006 "sharepoint foundation", 10000b5a "15.0.4420.1001.0", 39000000 "microsoft.sharepoint"'}
      - {t: "10:00:00.00", id: "xmnv", category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://app01:32843/9d0f/SecureStoreService.svc)"}
      - {t: "10:00:00.02", id: "7fd9", level: Unexpected, corr: A, msg: "ERROR: Failed to OpenThreadToken, LastError=1008"}
      - {t: "10:00:00.04", id: "eft9", level: Unexpected, area: Secure Store Service, category: Secure Store, corr: A, msg: "ChangeMasterSecretKey failed with exception : Microsoft.SharePoint.SPException: Cannot complete this action.     at Microsoft.SharePoint.Administration.SPAcl`1.CalculatePermissions()"}
      - {t: "10:00:00.09", id: "b4ly", category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://app01:32843/9d0f/SecureStoreService.svc)). Execution Time=91"}
    expect: [{verdict: no-identity, severity: warning, symptoms: {lost_identity: 1}}]
  - name: NEAR MISS the number of the build in a row of another event
    uls:
      - {t: "09:59:00.00", id: "zq1a", level: Monitorable, category: Watson, corr: W, msg: 'Watson bucket parameters: Microsoft SharePoint 2016, ULSException14, 06300006 "sharepoint foundation", 10000b5a "16.0.4549.1001.0", 39000000 "microsoft.sharepoint"'}
      - {t: "10:00:00.00", id: "xmnv", category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://app01:32843/9d0f/SecureStoreService.svc)"}
      - {t: "10:00:00.02", id: "7fd9", level: Unexpected, corr: A, msg: "ERROR: Failed to OpenThreadToken, LastError=1008"}
      - {t: "10:00:00.04", id: "eft9", level: Unexpected, area: Secure Store Service, category: Secure Store, corr: A, msg: "ChangeMasterSecretKey failed with exception : Microsoft.SharePoint.SPException: Cannot complete this action.     at Microsoft.SharePoint.Administration.SPAcl`1.CalculatePermissions()"}
      - {t: "10:00:00.09", id: "b4ly", category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://app01:32843/9d0f/SecureStoreService.svc)). Execution Time=91"}
    expect: [{verdict: no-identity, severity: warning, symptoms: {lost_identity: 1}}]
  - name: NEAR MISS 1008 is noise, and the key fails for another reason
    uls:
      - {t: "09:59:00.00", id: "c91s", level: Monitorable, category: Watson, corr: W, msg: 'Watson bucket parameters: Microsoft SharePoint 2016, ULSException14, 06300006 "sharepoint foundation", 10000b5a "16.0.4549.1001.0", 39000000 "microsoft.sharepoint"'}
      - {t: "10:00:00.00", id: "xmnv", category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://app01:32843/9d0f/SecureStoreService.svc)"}
      - {t: "10:00:00.02", id: "7fd9", level: Unexpected, corr: A, msg: "ERROR: Failed to OpenThreadToken, LastError=1008"}
      - {t: "10:00:00.04", id: "eft9", level: Unexpected, area: Secure Store Service, category: Secure Store, corr: A, msg: "ChangeMasterSecretKey failed with exception : System.TimeoutException: The operation has timed out."}
      - {t: "10:00:00.09", id: "b4ly", category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://app01:32843/9d0f/SecureStoreService.svc)). Execution Time=91"}
    expect: [{verdict: key-not-changed, severity: warning, confidence: likely, symptoms: {failed: 1}, captures: {exception: System.TimeoutException}}]
  - name: NEAR MISS another operation fails at the rights check
    uls:
      - {t: "10:00:00.00", id: "xmnv", category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://app01:32843/9d0f/SecureStoreService.svc)"}
      - {t: "10:00:00.02", id: "7fd9", level: Unexpected, corr: A, msg: "ERROR: Failed to OpenThreadToken, LastError=1008"}
      - {t: "10:00:00.04", id: "eft9", level: Unexpected, area: Secure Store Service, category: Secure Store, corr: A, msg: "RefreshKey failed with exception : Microsoft.SharePoint.SPException: Cannot complete this action.     at Microsoft.SharePoint.Administration.SPAcl`1.CalculatePermissions()"}
      - {t: "10:00:00.09", id: "b4ly", category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://app01:32843/9d0f/SecureStoreService.svc)). Execution Time=91"}
    expect: []
  - name: NEAR MISS the rights check fails in a row of another event
    uls:
      - {t: "10:00:00.00", id: "xmnv", category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://app01:32843/9d0f/SecureStoreService.svc)"}
      - {t: "10:00:00.02", id: "7fd9", level: Unexpected, corr: A, msg: "ERROR: Failed to OpenThreadToken, LastError=1008"}
      - {t: "10:00:00.04", id: "eft9", level: Unexpected, area: Secure Store Service, category: Secure Store, corr: A, msg: "ChangeMasterSecretKey failed with exception : System.TimeoutException: The operation has timed out."}
      - {t: "10:00:00.04", id: "eft8", level: Unexpected, area: Secure Store Service, category: Secure Store, corr: A, msg: "ChangeMasterSecretKey failed with exception : Microsoft.SharePoint.SPException: Cannot complete this action.     at Microsoft.SharePoint.Administration.SPAcl`1.CalculatePermissions()"}
      - {t: "10:00:00.09", id: "b4ly", category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://app01:32843/9d0f/SecureStoreService.svc)). Execution Time=91"}
    expect: [{verdict: key-not-changed}]
  - name: NEAR MISS the identity fails in another request
    uls:
      - {t: "10:00:00.00", id: "xmnv", category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://app01:32843/9d0f/SecureStoreService.svc)"}
      - {t: "10:00:00.01", id: "xmnv", category: Logging Correlation Data, corr: B, msg: "Name=Request (GET:http://sp.contoso.com/)"}
      - {t: "10:00:00.02", id: "7fd9", level: Unexpected, corr: B, msg: "ERROR: Failed to OpenThreadToken, LastError=1008"}
      - {t: "10:00:00.04", id: "eft9", level: Unexpected, area: Secure Store Service, category: Secure Store, corr: A, msg: "ChangeMasterSecretKey failed with exception : Microsoft.SharePoint.SPException: Cannot complete this action.     at Microsoft.SharePoint.Administration.SPAcl`1.CalculatePermissions()"}
      - {t: "10:00:00.08", id: "b4ly", category: Monitoring, corr: B, msg: "Leaving Monitored Scope (Request (GET:http://sp.contoso.com/)). Execution Time=70"}
      - {t: "10:00:00.09", id: "b4ly", category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://app01:32843/9d0f/SecureStoreService.svc)). Execution Time=91"}
    expect: [{verdict: key-not-changed}]
  - name: NEAR MISS the identity fails after the key
    uls:
      - {t: "10:00:00.00", id: "xmnv", category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://app01:32843/9d0f/SecureStoreService.svc)"}
      - {t: "10:00:00.02", id: "eft9", level: Unexpected, area: Secure Store Service, category: Secure Store, corr: A, msg: "ChangeMasterSecretKey failed with exception : Microsoft.SharePoint.SPException: Cannot complete this action.     at Microsoft.SharePoint.Administration.SPAcl`1.CalculatePermissions()"}
      - {t: "10:00:00.04", id: "7fd9", level: Unexpected, corr: A, msg: "ERROR: Failed to OpenThreadToken, LastError=1008"}
      - {t: "10:00:00.09", id: "b4ly", category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://app01:32843/9d0f/SecureStoreService.svc)). Execution Time=91"}
    expect: [{verdict: key-not-changed}]
  - name: NEAR MISS the identity fails with another error
    uls:
      - {t: "10:00:00.00", id: "xmnv", category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://app01:32843/9d0f/SecureStoreService.svc)"}
      - {t: "10:00:00.02", id: "7fd9", level: Unexpected, corr: A, msg: "ERROR: Failed to OpenThreadToken, LastError=5"}
      - {t: "10:00:00.04", id: "eft9", level: Unexpected, area: Secure Store Service, category: Secure Store, corr: A, msg: "ChangeMasterSecretKey failed with exception : Microsoft.SharePoint.SPException: Cannot complete this action.     at Microsoft.SharePoint.Administration.SPAcl`1.CalculatePermissions()"}
      - {t: "10:00:00.09", id: "b4ly", category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://app01:32843/9d0f/SecureStoreService.svc)). Execution Time=91"}
    expect: [{verdict: key-not-changed}]
  - name: NEAR MISS the identity in a row of another event
    uls:
      - {t: "10:00:00.00", id: "xmnv", category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://app01:32843/9d0f/SecureStoreService.svc)"}
      - {t: "10:00:00.02", id: "7fda", level: Unexpected, corr: A, msg: "ERROR: Failed to OpenThreadToken, LastError=1008"}
      - {t: "10:00:00.04", id: "eft9", level: Unexpected, area: Secure Store Service, category: Secure Store, corr: A, msg: "ChangeMasterSecretKey failed with exception : Microsoft.SharePoint.SPException: Cannot complete this action.     at Microsoft.SharePoint.Administration.SPAcl`1.CalculatePermissions()"}
      - {t: "10:00:00.09", id: "b4ly", category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://app01:32843/9d0f/SecureStoreService.svc)). Execution Time=91"}
    expect: [{verdict: key-not-changed}]
  - name: NEAR MISS another operation of the service fails
    uls:
      - {t: "10:00:00.04", id: "eft9", level: Unexpected, area: Secure Store Service, category: Secure Store, corr: A, msg: "RefreshKey failed with exception : System.TimeoutException: The operation has timed out."}
    expect: []
  - name: NEAR MISS the key is changed, and the identity fails in the same request
    uls:
      - {t: "10:00:00.00", id: "xmnv", category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://app01:32843/9d0f/SecureStoreService.svc)"}
      - {t: "10:00:00.02", id: "7fd9", level: Unexpected, corr: A, msg: "ERROR: Failed to OpenThreadToken, LastError=1008"}
      - {t: "10:00:00.03", id: "eft7", level: High, area: Secure Store Service, category: Secure Store, corr: A, msg: "ChangeMasterSecretKey called."}
      - {t: "10:00:00.09", id: "b4ly", category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://app01:32843/9d0f/SecureStoreService.svc)). Execution Time=91"}
    expect: []
  - name: PASS a credential is read
    uls:
      - {t: "10:00:00.00", id: "azmi9", area: Secure Store Service, category: Secure Store, corr: A, msg: "SSServiceDatabaseProvider.GetSession invoked."}
    expect: []
  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1093_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1093
tests:
  - name: a refresh times out
    uls:
      - {t: "10:00:00.00", id: "99", level: High, area: PowerPivot Service, category: Data Refresh, corr: A, split: 60, msg: "EXCEPTION: System.Net.WebException: The operation has timed out     at System.Web.Services.Protocols.WebClientProtocol.GetWebResponse(WebRequest request)     at System.Web.Services.Protocols.HttpWebClientProtocol.GetWebResponse(WebRequest request)"}
    expect:
      - verdict: one-refresh-timed-out
        severity: warning
        confidence: likely
        symptoms: {refreshes: 1}
        message: "A scheduled data refresh of PowerPivot timed out (1 row(s)); why is not in the log."
  - name: a paste with a placeholder for the time
    paste: |
      DateTime w3wp.exe (0x00000) 0x1B44 PowerPivot Service Data Refresh 99 High EXCEPTION: System.Net.WebException: The operation has timed out at System.Web.Services.Protocols.WebClientProtocol.GetWebResponse(WebRequest request)
    expect: [{verdict: one-refresh-timed-out, symptoms: {refreshes: 1}}]
  - name: refreshes time out again and again
    uls:
      - {t: "10:00:00.00", times: 3, every: 2h, id: "99", level: High, area: PowerPivot Service, category: Data Refresh, corr: "R<n>", msg: "EXCEPTION: System.Net.WebException: The operation has timed out"}
    expect: [{verdict: refresh-timed-out, severity: error, confidence: likely, symptoms: {refreshes: 3}, message: "Scheduled data refreshes of PowerPivot time out (3 row(s)). A known cause is the limit of 100 seconds for one data source in SharePoint 2016."}]
  - name: NEAR MISS two refreshes time out
    uls:
      - {t: "10:00:00.00", times: 2, every: 2h, id: "99", level: High, area: PowerPivot Service, category: Data Refresh, corr: "R<n>", msg: "EXCEPTION: System.Net.WebException: The operation has timed out"}
    expect: [{verdict: one-refresh-timed-out, severity: warning, confidence: likely, symptoms: {refreshes: 2}}]
  - name: NEAR MISS a refresh fails for want of rights
    uls:
      - {t: "10:00:00.00", id: "99", level: High, area: PowerPivot Service, category: Data Refresh, msg: "EXCEPTION: System.Net.WebException: The request failed with HTTP status 401: Unauthorized.     at System.Web.Services.Protocols.WebClientProtocol.GetWebResponse(WebRequest request)"}
    expect: []
  - name: NEAR MISS a query of the workbook times out
    uls:
      - {t: "10:00:00.00", id: "99", level: High, area: PowerPivot Service, category: Data Refresh, msg: "EXCEPTION: System.Data.SqlClient.SqlException: The query has timed out."}
    expect: []
  - name: NEAR MISS the same row in another category of PowerPivot
    uls:
      - {t: "10:00:00.00", id: "99", level: High, area: PowerPivot Service, category: Dashboard, msg: "EXCEPTION: System.Net.WebException: The operation has timed out     at System.Web.Services.Protocols.WebClientProtocol.GetWebResponse(WebRequest request)"}
    expect: []
  - name: NEAR MISS another event of the category
    uls:
      - {t: "10:00:00.00", id: "106", level: High, area: PowerPivot Service, category: Data Refresh, msg: "Retrying after System.Net.WebException: The operation has timed out"}
    expect: []
  - name: PASS a refresh succeeds
    uls:
      - {t: "10:00:00.00", id: "99", level: Medium, area: PowerPivot Service, category: Data Refresh, msg: "Data refresh completed."}
    expect: []
  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1101_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1101
tests:
  - name: the report fails and its address names no list
    uls:
      - {t: "13:10:36.16", id: tkau, level: Unexpected, category: Runtime, corr: A, msg: "System.NullReferenceException: Object reference not set to an instance of an object.    at Microsoft.Office.RecordsManagement.Reporting.ApplicationPages.CustomizeReport.OnLoad(EventArgs e)     at System.Web.UI.Control.LoadRecursive()     at System.Web.UI.Page.ProcessRequestMain(Boolean includeStagesBeforeAsyncPoint, Boolean includeStagesAfterAsyncPoint)"}
      - {t: "13:10:36.23", id: b4ly, category: Monitoring, msg: "Leaving Monitored Scope (Request (GET:http://portal.contoso.local:80/sites/archive/_layouts/customizereport.aspx?Category=FilePlan&backtype=list&List=)). Execution Time=98.1"}
    expect:
      - {verdict: no-library, severity: error, confidence: likely, symptoms: {failed: 1, list_empty: 1}, captures: {page: "GET:http://portal.contoso.local:80/sites/archive/_layouts/customizereport.aspx"}}

  - name: all rows of one request are one failure of this rule alone
    with: [FS1002]
    uls:
      - {t: "13:10:36.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (GET:http://portal.contoso.local:80/sites/archive/_layouts/15/customizereport.aspx?List=&Category=FilePlan)"}
      - {t: "13:10:36.16", id: 8nca, corr: A, msg: "Application error when access /sites/archive/_layouts/15/customizereport.aspx, Error=Object reference not set to an instance of an object.   at Microsoft.Office.RecordsManagement.Reporting.ApplicationPages.CustomizeReport.OnLoad(EventArgs e)     at System.Web.UI.Control.LoadRecursive()"}
      - {t: "13:10:36.16", id: tkau, level: Unexpected, category: Runtime, corr: A, msg: "System.NullReferenceException: Object reference not set to an instance of an object.    at Microsoft.Office.RecordsManagement.Reporting.ApplicationPages.CustomizeReport.OnLoad(EventArgs e)     at System.Web.UI.Control.LoadRecursive()"}
      - {t: "13:10:36.17", id: ajlz0, level: High, corr: A, msg: "Getting Error Message for Exception System.Web.HttpUnhandledException (0x80004005): Exception of type 'System.Web.HttpUnhandledException' was thrown. ---> System.NullReferenceException: Object reference not set to an instance of an object.     at Microsoft.Office.RecordsManagement.Reporting.ApplicationPages.CustomizeReport.OnLoad(EventArgs e)"}
    expect:
      - {verdict: no-library, symptoms: {failed: 1, list_empty: 1}, captures: {page: "GET:http://portal.contoso.local:80/sites/archive/_layouts/15/customizereport.aspx"}}

  - name: one of the tags below Monitorable alone
    each: {tag: [8nca, ajlz0]}
    uls:
      - {t: "13:10:36.16", id: "<tag>", corr: A, msg: "Application error when access /sites/archive/_layouts/15/customizereport.aspx, Error=Object reference not set to an instance of an object.   at Microsoft.Office.RecordsManagement.Reporting.ApplicationPages.CustomizeReport.OnLoad(EventArgs e)     at System.Web.UI.Control.LoadRecursive()"}
    expect:
      - {verdict: report-failed, severity: warning, confidence: likely, symptoms: {failed: 1}}

  - name: each level from Monitorable on
    each: {level: [Critical, Monitorable]}
    uls:
      - {t: "13:10:36.16", id: zq1a, level: "<level>", corr: A, msg: "Object reference not set to an instance of an object.   at Microsoft.Office.RecordsManagement.Reporting.ApplicationPages.CustomizeReport.OnLoad(EventArgs e)"}
    expect:
      - {verdict: report-failed, severity: warning, confidence: likely, symptoms: {failed: 1}}

  - name: translated, split over rows
    uls:
      - {t: "13:10:36.16", id: tkau, level: Unexpected, category: Runtime, corr: A, split: 60, msg: "System.NullReferenceException: Der Objektverweis wurde nicht auf eine Objektinstanz festgelegt.    bei Microsoft.Office.RecordsManagement.Reporting.ApplicationPages.CustomizeReport.OnLoad(EventArgs e)     bei System.Web.UI.Control.LoadRecursive()"}
    expect:
      - {verdict: report-failed, severity: warning, confidence: likely, symptoms: {failed: 1}}

  - name: a bare message as somebody pasted it
    paste: |
      System.NullReferenceException: Object reference not set to an instance of an object. at Microsoft.Office.RecordsManagement.Reporting.ApplicationPages.CustomizeReport.OnLoad(EventArgs e) at System.Web.UI.Control.LoadRecursive()
    expect:
      - {verdict: report-failed, severity: warning, confidence: likely, symptoms: {failed: 1}}

  - name: two requests are two
    uls:
      - {t: "13:10:36.16", id: tkau, level: Unexpected, category: Runtime, corr: A, msg: "System.NullReferenceException: Object reference not set to an instance of an object.    at Microsoft.Office.RecordsManagement.Reporting.ApplicationPages.CustomizeReport.OnLoad(EventArgs e)"}
      - {t: "13:11:36.16", id: tkau, level: Unexpected, category: Runtime, corr: B, msg: "System.NullReferenceException: Object reference not set to an instance of an object.    at Microsoft.Office.RecordsManagement.Reporting.ApplicationPages.CustomizeReport.OnLoad(EventArgs e)"}
    expect:
      - {verdict: report-failed, symptoms: {failed: 2}, message: "The file plan report failed 2 time(s); the log does not show whether its address named a list. A missing record library named Records is a known cause."}

  - name: NEAR MISS the exception is thrown deeper than in OnLoad
    uls:
      - {t: "13:10:36.16", id: tkau, level: Unexpected, category: Runtime, corr: A, msg: "System.UnauthorizedAccessException: Access is denied.    at Microsoft.SharePoint.Utilities.SPUtility.HandleAccessDenied(Exception ex)     at Microsoft.Office.RecordsManagement.Reporting.ApplicationPages.CustomizeReport.OnLoad(EventArgs e)"}
      - {t: "13:10:36.16", id: 8nca, corr: A, msg: "Application error when access /sites/archive/_layouts/15/customizereport.aspx, Error=Access is denied.   at Microsoft.SharePoint.Utilities.SPUtility.HandleAccessDenied(Exception ex)     at Microsoft.Office.RecordsManagement.Reporting.ApplicationPages.CustomizeReport.OnLoad(EventArgs e)"}
    expect: []

  - name: NEAR MISS the text below Monitorable and under another ID
    uls:
      - {t: "13:10:36.16", id: zq1a, level: High, corr: A, msg: "Handled: Object reference not set to an instance of an object.    at Microsoft.Office.RecordsManagement.Reporting.ApplicationPages.CustomizeReport.OnLoad(EventArgs e)"}
    expect: []

  - name: NEAR MISS the address without a list, but the report works
    uls:
      - {t: "13:10:36.23", id: b4ly, category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (GET:http://portal.contoso.local:80/sites/archive/_layouts/customizereport.aspx?Category=FilePlan&backtype=list&List=)). Execution Time=98.1"}
    expect: []

  - name: NEAR MISS the address has a list, or another row names it
    uls:
      - {t: "13:10:36.16", id: tkau, level: Unexpected, category: Runtime, corr: A, msg: "System.NullReferenceException: Object reference not set to an instance of an object.    at Microsoft.Office.RecordsManagement.Reporting.ApplicationPages.CustomizeReport.OnLoad(EventArgs e)"}
      - {t: "13:10:36.20", id: zq1a, category: Monitoring, corr: A, msg: "Request (GET:http://portal.contoso.local:80/sites/archive/_layouts/customizereport.aspx?Category=FilePlan&backtype=list&List=)"}
      - {t: "13:10:36.23", id: b4ly, category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (GET:http://portal.contoso.local:80/sites/archive/_layouts/customizereport.aspx?Category=FilePlan&backtype=list&List=5f0c9b1e)). Execution Time=98.1"}
    expect:
      - {verdict: report-failed, severity: warning, confidence: likely, symptoms: {failed: 1}}

  - name: PASS the report works
    uls:
      - {t: "13:10:36.23", id: b4ly, category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (GET:http://portal.contoso.local:80/sites/archive/_layouts/customizereport.aspx?Category=FilePlan&backtype=list&List=5f0c9b1e)). Execution Time=98.1"}
    expect: []

  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS9101_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS9101
tests:
  - name: rows of abnwk
    uls:
      - {t: "10:00:00.00", id: abnwk, level: Unexpected, corr: A, msg: "[PSTRACE] Cobalt request finished"}
      - {t: "10:00:01.00", id: abnwk, level: Unexpected, corr: B, msg: "[PSTRACE] Cobalt request finished"}
    expect:
      - {verdict: noise, severity: info, confidence: likely, symptoms: {seen: 2}}

  - name: a single row of abnwk
    uls:
      - {t: "10:00:00.00", id: abnwk, level: Unexpected, corr: A, msg: "[PSTRACE] Cobalt request finished"}
    expect:
      - {verdict: noise, symptoms: {seen: 1}}

  - name: NEAR MISS another row with the same text
    uls:
      - {t: "10:00:00.00", id: zq1a, level: Unexpected, corr: A, msg: "[PSTRACE] Cobalt request finished"}
    expect: []

  - name: PASS a request without any
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (GET:http://portal.contoso.local:80/)"}
      - {t: "10:00:00.25", id: b4ly, category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (GET:http://portal.contoso.local:80/)). Execution Time=25"}
    expect: []

  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS9102_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS9102
tests:
  - name: rows of 7v48
    uls:
      - {t: "10:00:00.00", id: 7v48, level: High, corr: A, msg: "Output parameter not used: @ItemCount"}
      - {t: "10:00:01.00", id: 7v48, level: High, corr: B, msg: "Output parameter not used: @ItemCount"}
    expect:
      - {verdict: noise, severity: info, confidence: likely, symptoms: {seen: 2}}

  - name: a single row of 7v48
    uls:
      - {t: "10:00:00.00", id: 7v48, level: High, corr: A, msg: "Output parameter not used: @ItemCount"}
    expect:
      - {verdict: noise, symptoms: {seen: 1}}

  - name: NEAR MISS another row with the same text
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, msg: "Output parameter not used: @ItemCount"}
    expect: []

  - name: PASS a request without any
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (GET:http://portal.contoso.local:80/)"}
      - {t: "10:00:00.25", id: b4ly, category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (GET:http://portal.contoso.local:80/)). Execution Time=25"}
    expect: []

  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS9103_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS9103
tests:
  - name: rows of 6wzd
    uls:
      - {t: "10:00:00.00", id: 6wzd, level: High, corr: A, msg: "Navigation excludes 4 pages"}
      - {t: "10:00:01.00", id: 6wzd, level: High, corr: B, msg: "Navigation excludes 4 pages"}
    expect:
      - {verdict: noise, severity: info, confidence: likely, symptoms: {seen: 2}}

  - name: a single row of 6wzd
    uls:
      - {t: "10:00:00.00", id: 6wzd, level: High, corr: A, msg: "Navigation excludes 4 pages"}
    expect:
      - {verdict: noise, symptoms: {seen: 1}}

  - name: rows of 6wze
    uls:
      - {t: "10:00:00.00", id: 6wze, level: High, corr: A, msg: "Navigation excludes 4 pages"}
      - {t: "10:00:01.00", id: 6wze, level: High, corr: B, msg: "Navigation excludes 4 pages"}
    expect:
      - {verdict: noise, severity: info, confidence: likely, symptoms: {seen: 2}}

  - name: a single row of 6wze
    uls:
      - {t: "10:00:00.00", id: 6wze, level: High, corr: A, msg: "Navigation excludes 4 pages"}
    expect:
      - {verdict: noise, symptoms: {seen: 1}}

  - name: NEAR MISS another row with the same text
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, msg: "Navigation excludes 4 pages"}
    expect: []

  - name: PASS a request without any
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (GET:http://portal.contoso.local:80/)"}
      - {t: "10:00:00.25", id: b4ly, category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (GET:http://portal.contoso.local:80/)). Execution Time=25"}
    expect: []

  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS9104_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS9104
tests:
  - name: rows of 0000
    uls:
      - {t: "10:00:00.00", id: "0000", level: Unexpected, corr: A, msg: "Contoso.Portal started with 12 modules"}
      - {t: "10:00:01.00", id: "0000", level: Unexpected, corr: B, msg: "Contoso.Portal started with 12 modules"}
    expect:
      - {verdict: noise, severity: info, confidence: likely, symptoms: {seen: 2}}

  - name: a single row of 0000
    uls:
      - {t: "10:00:00.00", id: "0000", level: Unexpected, corr: A, msg: "Contoso.Portal started with 12 modules"}
    expect:
      - {verdict: noise, symptoms: {seen: 1}}

  - name: rows of 00000
    uls:
      - {t: "10:00:00.00", id: "00000", level: Unexpected, corr: A, msg: "Contoso.Portal started with 12 modules"}
      - {t: "10:00:01.00", id: "00000", level: Unexpected, corr: B, msg: "Contoso.Portal started with 12 modules"}
    expect:
      - {verdict: noise, severity: info, confidence: likely, symptoms: {seen: 2}}

  - name: a single row of 00000
    uls:
      - {t: "10:00:00.00", id: "00000", level: Unexpected, corr: A, msg: "Contoso.Portal started with 12 modules"}
    expect:
      - {verdict: noise, symptoms: {seen: 1}}

  - name: NEAR MISS custom code that logs an exception
    uls:
      - {t: "10:00:00.00", id: "0000", level: Unexpected, corr: A, msg: "Contoso.Portal: System.NullReferenceException: Object reference not set to an instance of an object."}
    expect: []

  - name: NEAR MISS another row with the same text
    uls:
      - {t: "10:00:00.00", id: zq1a, level: Unexpected, corr: A, msg: "Contoso.Portal started with 12 modules"}
    expect: []

  - name: PASS a request without any
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (GET:http://portal.contoso.local:80/)"}
      - {t: "10:00:00.25", id: b4ly, category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (GET:http://portal.contoso.local:80/)). Execution Time=25"}
    expect: []

  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS9105_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS9105
tests:
  - name: rows of a75h7
    uls:
      - {t: "10:00:00.00", id: a75h7, level: Unexpected, corr: A, msg: "Role conformance is not checked on a custom server"}
      - {t: "10:00:01.00", id: a75h7, level: Unexpected, corr: B, msg: "Role conformance is not checked on a custom server"}
    expect:
      - {verdict: noise, severity: info, confidence: likely, symptoms: {seen: 2}}

  - name: a single row of a75h7
    uls:
      - {t: "10:00:00.00", id: a75h7, level: Unexpected, corr: A, msg: "Role conformance is not checked on a custom server"}
    expect:
      - {verdict: noise, symptoms: {seen: 1}}

  - name: NEAR MISS another row with the same text
    uls:
      - {t: "10:00:00.00", id: zq1a, level: Unexpected, corr: A, msg: "Role conformance is not checked on a custom server"}
    expect: []

  - name: PASS a request without any
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (GET:http://portal.contoso.local:80/)"}
      - {t: "10:00:00.25", id: b4ly, category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (GET:http://portal.contoso.local:80/)). Execution Time=25"}
    expect: []

  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS9106_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS9106
tests:
  - name: rows of aighj
    uls:
      - {t: "10:00:00.00", id: aighj, level: Unexpected, corr: A, msg: "No workflow service application is connected to the site"}
      - {t: "10:00:01.00", id: aighj, level: Unexpected, corr: B, msg: "No workflow service application is connected to the site"}
    expect:
      - {verdict: noise, severity: info, confidence: likely, symptoms: {seen: 2}}

  - name: a single row of aighj
    uls:
      - {t: "10:00:00.00", id: aighj, level: Unexpected, corr: A, msg: "No workflow service application is connected to the site"}
    expect:
      - {verdict: noise, symptoms: {seen: 1}}

  - name: NEAR MISS another row with the same text
    uls:
      - {t: "10:00:00.00", id: zq1a, level: Unexpected, corr: A, msg: "No workflow service application is connected to the site"}
    expect: []

  - name: PASS a request without any
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (GET:http://portal.contoso.local:80/)"}
      - {t: "10:00:00.25", id: b4ly, category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (GET:http://portal.contoso.local:80/)). Execution Time=25"}
    expect: []

  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS9107_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS9107
tests:
  - name: rows of b8fx
    uls:
      - {t: "10:00:00.00", id: b8fx, level: High, corr: A, msg: "ULS Init Completed (OWSTIMER.EXE)"}
      - {t: "10:00:01.00", id: b8fx, level: High, corr: B, msg: "ULS Init Completed (OWSTIMER.EXE)"}
    expect:
      - {verdict: noise, severity: info, confidence: likely, symptoms: {seen: 2}}

  - name: a single row of b8fx
    uls:
      - {t: "10:00:00.00", id: b8fx, level: High, corr: A, msg: "ULS Init Completed (OWSTIMER.EXE)"}
    expect:
      - {verdict: noise, symptoms: {seen: 1}}

  - name: NEAR MISS another row with the same text
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, msg: "ULS Init Completed (OWSTIMER.EXE)"}
    expect: []

  - name: PASS a request without any
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (GET:http://portal.contoso.local:80/)"}
      - {t: "10:00:00.25", id: b4ly, category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (GET:http://portal.contoso.local:80/)). Execution Time=25"}
    expect: []

  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS9108_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS9108
tests:
  - name: rows of 4ohp
    uls:
      - {t: "10:00:00.00", id: 4ohp, level: High, corr: A, msg: "Enumerating all sites in SPWebApplication Contoso"}
      - {t: "10:00:01.00", id: 4ohp, level: High, corr: B, msg: "Enumerating all sites in SPWebApplication Contoso"}
    expect:
      - {verdict: noise, severity: info, confidence: likely, symptoms: {seen: 2}}

  - name: a single row of 4ohp
    uls:
      - {t: "10:00:00.00", id: 4ohp, level: High, corr: A, msg: "Enumerating all sites in SPWebApplication Contoso"}
    expect:
      - {verdict: noise, symptoms: {seen: 1}}

  - name: rows of 4ohq
    uls:
      - {t: "10:00:00.00", id: 4ohq, level: High, corr: A, msg: "Enumerating all sites in SPWebApplication Contoso"}
      - {t: "10:00:01.00", id: 4ohq, level: High, corr: B, msg: "Enumerating all sites in SPWebApplication Contoso"}
    expect:
      - {verdict: noise, severity: info, confidence: likely, symptoms: {seen: 2}}

  - name: a single row of 4ohq
    uls:
      - {t: "10:00:00.00", id: 4ohq, level: High, corr: A, msg: "Enumerating all sites in SPWebApplication Contoso"}
    expect:
      - {verdict: noise, symptoms: {seen: 1}}

  - name: NEAR MISS another row with the same text
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, msg: "Enumerating all sites in SPWebApplication Contoso"}
    expect: []

  - name: PASS a request without any
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (GET:http://portal.contoso.local:80/)"}
      - {t: "10:00:00.25", id: b4ly, category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (GET:http://portal.contoso.local:80/)). Execution Time=25"}
    expect: []

  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##
