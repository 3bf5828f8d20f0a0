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
        RuleFile(name: "FS1003.tests.yaml", text: FS1003_tests),
        RuleFile(name: "FS1004.tests.yaml", text: FS1004_tests),
        RuleFile(name: "FS1006.tests.yaml", text: FS1006_tests),
        RuleFile(name: "FS1010.tests.yaml", text: FS1010_tests),
        RuleFile(name: "FS1011.tests.yaml", text: FS1011_tests),
        RuleFile(name: "FS1015.tests.yaml", text: FS1015_tests),
        RuleFile(name: "FS1017.tests.yaml", text: FS1017_tests),
        RuleFile(name: "FS1018.tests.yaml", text: FS1018_tests),
        RuleFile(name: "FS1020.tests.yaml", text: FS1020_tests),
        RuleFile(name: "FS1021.tests.yaml", text: FS1021_tests),
        RuleFile(name: "FS1024.tests.yaml", text: FS1024_tests),
        RuleFile(name: "FS1026.tests.yaml", text: FS1026_tests),
        RuleFile(name: "FS1028.tests.yaml", text: FS1028_tests),
        RuleFile(name: "FS1029.tests.yaml", text: FS1029_tests),
        RuleFile(name: "FS1032.tests.yaml", text: FS1032_tests),
        RuleFile(name: "FS1033.tests.yaml", text: FS1033_tests),
        RuleFile(name: "FS1034.tests.yaml", text: FS1034_tests),
        RuleFile(name: "FS1035.tests.yaml", text: FS1035_tests),
        RuleFile(name: "FS1037.tests.yaml", text: FS1037_tests),
        RuleFile(name: "FS1038.tests.yaml", text: FS1038_tests),
        RuleFile(name: "FS1040.tests.yaml", text: FS1040_tests),
        RuleFile(name: "FS1041.tests.yaml", text: FS1041_tests),
        RuleFile(name: "FS1042.tests.yaml", text: FS1042_tests),
        RuleFile(name: "FS1043.tests.yaml", text: FS1043_tests),
        RuleFile(name: "FS1044.tests.yaml", text: FS1044_tests),
        RuleFile(name: "FS1045.tests.yaml", text: FS1045_tests),
        RuleFile(name: "FS1046.tests.yaml", text: FS1046_tests),
        RuleFile(name: "FS1047.tests.yaml", text: FS1047_tests),
        RuleFile(name: "FS1048.tests.yaml", text: FS1048_tests),
        RuleFile(name: "FS1049.tests.yaml", text: FS1049_tests),
        RuleFile(name: "FS1050.tests.yaml", text: FS1050_tests),
        RuleFile(name: "FS1051.tests.yaml", text: FS1051_tests),
        RuleFile(name: "FS1054.tests.yaml", text: FS1054_tests),
        RuleFile(name: "FS1056.tests.yaml", text: FS1056_tests),
        RuleFile(name: "FS1057.tests.yaml", text: FS1057_tests),
        RuleFile(name: "FS1058.tests.yaml", text: FS1058_tests),
        RuleFile(name: "FS1059.tests.yaml", text: FS1059_tests),
        RuleFile(name: "FS1060.tests.yaml", text: FS1060_tests),
        RuleFile(name: "FS1061.tests.yaml", text: FS1061_tests),
        RuleFile(name: "FS1063.tests.yaml", text: FS1063_tests),
        RuleFile(name: "FS1065.tests.yaml", text: FS1065_tests),
        RuleFile(name: "FS1066.tests.yaml", text: FS1066_tests),
        RuleFile(name: "FS1067.tests.yaml", text: FS1067_tests),
        RuleFile(name: "FS1068.tests.yaml", text: FS1068_tests),
        RuleFile(name: "FS1073.tests.yaml", text: FS1073_tests),
        RuleFile(name: "FS1078.tests.yaml", text: FS1078_tests),
        RuleFile(name: "FS1079.tests.yaml", text: FS1079_tests),
        RuleFile(name: "FS1082.tests.yaml", text: FS1082_tests),
        RuleFile(name: "FS1083.tests.yaml", text: FS1083_tests),
        RuleFile(name: "FS1087.tests.yaml", text: FS1087_tests),
        RuleFile(name: "FS1088.tests.yaml", text: FS1088_tests),
        RuleFile(name: "FS1089.tests.yaml", text: FS1089_tests),
        RuleFile(name: "FS1090.tests.yaml", text: FS1090_tests),
        RuleFile(name: "FS1091.tests.yaml", text: FS1091_tests),
        RuleFile(name: "FS1093.tests.yaml", text: FS1093_tests),
        RuleFile(name: "FS1095.tests.yaml", text: FS1095_tests),
        RuleFile(name: "FS1098.tests.yaml", text: FS1098_tests),
        RuleFile(name: "FS1100.tests.yaml", text: FS1100_tests),
        RuleFile(name: "FS1101.tests.yaml", text: FS1101_tests),
        RuleFile(name: "FS1105.tests.yaml", text: FS1105_tests),
        RuleFile(name: "FS1106.tests.yaml", text: FS1106_tests),
        RuleFile(name: "FS1107.tests.yaml", text: FS1107_tests),
        RuleFile(name: "FS1108.tests.yaml", text: FS1108_tests),
        RuleFile(name: "FS1110.tests.yaml", text: FS1110_tests),
        RuleFile(name: "FS1111.tests.yaml", text: FS1111_tests),
        RuleFile(name: "FS1113.tests.yaml", text: FS1113_tests),
        RuleFile(name: "FS1115.tests.yaml", text: FS1115_tests),
        RuleFile(name: "FS1116.tests.yaml", text: FS1116_tests),
        RuleFile(name: "FS1117.tests.yaml", text: FS1117_tests),
        RuleFile(name: "FS1118.tests.yaml", text: FS1118_tests),
        RuleFile(name: "FS1119.tests.yaml", text: FS1119_tests),
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
      - {verdict: differs, severity: warning, confidence: likely, symptoms: {validation_key: 2}}

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
      - {verdict: made-by-server, severity: warning, confidence: likely}

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
      - {verdict: exception, captures: {exception: System.FormatException, text: Not a number.}, message: "1 request(s) failed with an exception; the first: System.FormatException (Not a number.); the first page: not logged."}

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

private let FS1003_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1003
tests:
  - name: a page fails, its rows count once, and the generic rule says nothing
    with: [FS1002]
    uls:
      - {t: "10:00:00.00", id: 8nca, corr: A, msg: "Application error when access /Pages/Home.aspx, Error=Exception of type 'System.ArgumentException' was thrown.  Parameter name: encodedValue   at Microsoft.SharePoint.Administration.Claims.SPClaimEncodingManager.DecodeClaimFromFormsSuffix(String encodedValue)"}
      - {t: "10:00:00.01", id: tkau, level: Unexpected, category: Runtime, corr: A, msg: "System.ArgumentException: x    bei Microsoft.SharePoint.Administration.Claims.SPClaimEncodingManager.DecodeClaimFromFormsSuffix(String encodedValue)"}
    expect:
      - verdict: claim-not-decoded
        severity: error
        confidence: likely
        symptoms: {failed: 1}
        captures: {page: /Pages/Home.aspx}
        message: "A claim could not be decoded (page /Pages/Home.aspx), mostly the one that names the user of the request, which then fails; a missing user right, FIPS or a sign-out with two providers are known causes."
  - name: each row alone, also where a word was lost
    each: {id: [8nca, zq1a]}
    uls:
      - {t: "10:00:00.00", id: "<id>", level: High, corr: A, msg: "Error=x   at Microsoft..Administration.Claims.SPClaimEncodingManager.DecodeClaimFromFormsSuffix(String encodedValue)"}
    expect: [{verdict: claim-not-decoded}]
  - name: only 8nca, as it is written
    uls:
      - {t: "10:00:00.00", id: 8nca, level: Medium, corr: A, msg: "Error=x   at Microsoft.SharePoint.Administration.Claims.SPClaimEncodingManager.DecodeClaimFromFormsSuffix(String encodedValue)"}
    expect: [{verdict: claim-not-decoded, symptoms: {failed: 1}}]
  - name: NEAR MISS another argument is wrong, and a row below High
    uls:
      - {t: "10:00:00.00", id: 8nca, corr: A, msg: "Application error when access /a.aspx, Error=Exception of type 'System.ArgumentException' was thrown.  Parameter name: encodedUrl"}
      - {t: "10:00:01.00", id: zq1a, level: High, corr: B, msg: "System.ArgumentException: Parameter name: value   at Microsoft.SharePoint.Administration.Claims.SPClaimEncodingManager.EncodeClaimIntoFormsSuffix(SPClaim claim)"}
      - {t: "10:00:02.00", id: zq1a, level: Medium, corr: B, msg: "handled at Microsoft.SharePoint.Administration.Claims.SPClaimEncodingManager.DecodeClaimFromFormsSuffix(String encodedValue)"}
    expect: []
  - name: NEAR MISS a provider cannot find the user
    uls:
      - {t: "10:00:00.00", id: "8307", level: Critical, category: Claims Authentication, msg: "An exception occurred in Contoso claim provider when calling SPClaimProvider.FillUserKeyForEntity(): x"}
    expect: []
  - name: PASS a request without an exception
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (GET:http://portal.contoso.local:80/)"}
    expect: []
  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1004_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1004
tests:
  - name: a web part is not shown, each form and row
    each:
      id: [8nca, zq1a]
      text: ["The type Contoso.Budget could not be found or it is not registered as safe.", "The type Contoso.Budget is not registered as safe.", "because it is not registered on this site as safe."]
    uls:
      - {t: "10:00:00.00", id: "<id>", level: High, corr: A, msg: "A Web Part or Web Form Control on this Page cannot be displayed or imported. <text>"}
    expect: [{verdict: not-registered, severity: warning, confidence: likely, symptoms: {unsafe: 1}}]
  - name: the type is named, each form and row
    each:
      id: [8nca, zq1a]
      text: ["The type Contoso.Budget could not be found or it is not registered as safe.", "The type Contoso.Budget is not registered as safe."]
    uls:
      - {t: "10:00:00.00", id: "<id>", level: High, corr: A, msg: "Cannot be displayed or imported. <text>"}
    expect: [{verdict: not-registered, captures: {type: Contoso.Budget}, message: "SharePoint refuses Contoso.Budget: it did not find the type, or no SafeControl entry that allows it. Mostly its solution is not deployed here or is of another version, or web.config lacks the entry."}]
  - name: the type is named, only 8nca, as it is written
    each: {text: ["The type Contoso.Budget could not be found or it is not registered as safe.", "The type Contoso.Budget is not registered as safe."]}
    uls:
      - {t: "10:00:00.00", id: 8nca, corr: A, msg: "Application error when access /a.aspx, Error=<text>"}
    expect: [{verdict: not-registered, captures: {type: Contoso.Budget}}]
  - name: only 8nca, as it is written, each form
    each: {text: ["or it is not registered as safe", "is not registered on this site as safe"]}
    uls:
      - {t: "10:00:00.00", id: 8nca, corr: A, msg: "Application error when access /a.aspx, Error=<text>"}
    expect: [{verdict: not-registered}]
  - name: an assembly is missing, and the generic rule says nothing of the page
    with: [FS1002]
    uls:
      - {t: "10:00:00.00", id: "6611", level: Critical, category: Web Controls, msg: "Failed to load safe control assembly path"}
      - {t: "10:00:01.00", id: tkau, level: Unexpected, category: Runtime, corr: A, msg: "System.Exception: The type Contoso.Budget could not be found or it is not registered as safe."}
    expect: [{verdict: assembly-missing, severity: warning, confidence: likely, symptoms: {unsafe: 1, assembly: 1}}]
  - name: an assembly alone
    uls:
      - {t: "10:00:00.00", id: "6611", level: Critical, category: Web Controls, msg: "x"}
    expect: [{verdict: assembly-missing, severity: warning, confidence: likely, symptoms: {assembly: 1}}]
  - name: NEAR MISS other sentences about safe controls, and below High
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, msg: "The type Contoso.Budget is registered as safe."}
      - {t: "10:00:01.00", id: zq1a, level: Medium, msg: "The type Contoso.Budget could not be found or it is not registered as safe. It is not registered on this site as safe."}
      - {t: "10:00:02.00", id: 8nca, corr: A, msg: "Application error when access /a.aspx, Error=Value cannot be null."}
    expect: []
  - name: NEAR MISS the neighbour of the event
    uls:
      - {t: "10:00:00.00", id: "6612", level: Critical, category: Web Controls, msg: "Failed to load safe control assembly path"}
    expect: []
  - name: PASS a web part is shown
    uls:
      - {t: "10:00:00.00", id: zq1a, category: Web Parts, msg: "Web part was rendered."}
    expect: []
  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1006_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1006
tests:
  - name: a control cannot be compiled
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, msg: "Load control template file /_controltemplates/15/Budget.ascx failed: (0): error CS0016: Could not write to output file 'c:\\Windows\\Microsoft.NET\\Framework64\\v4.0.30319\\Temporary ASP.NET Files\\root\\0a1b\\App_Web_budget.dll' -- 'The directory name is invalid. '"}
    expect:
      - verdict: output-not-written
        severity: error
        confidence: likely
        symptoms: {failed: 1}
        captures: {control: /_controltemplates/15/Budget.ascx, reason: "The directory name is invalid. "}
        message: "/_controltemplates/15/Budget.ascx is not compiled: the compiler cannot write its output (The directory name is invalid. ). Mostly the temporary folder of the application pool's account is missing or not writable, or another program holds the file."
  - name: a page cannot be compiled, in another language, and the generic rule says nothing of it
    with: [FS1002]
    uls:
      - {t: "10:00:00.00", id: 8nca, corr: A, msg: "Application error when access /a.aspx, Error=(0): error CS0016: In die Ausgabedatei kann nicht geschrieben werden -- 'Zugriff verweigert. '"}
    expect: [{verdict: output-not-written, symptoms: {failed: 1}, captures: {reason: "Zugriff verweigert. "}}]
  - name: a message alone
    paste: |
      Load control template file /_controltemplates/15/Budget.ascx failed: (0): error CS0016: Could not write to output file 'c:\Windows\Microsoft.NET\Framework64\v4.0.30319\Temporary ASP.NET Files\root\0a1b2c3d\App_Web_budget.dll' -- 'The directory name is invalid. '
    expect: [{verdict: output-not-written}]
  - name: NEAR MISS other errors of the compiler, and below High
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, msg: "error CS0246: The type or namespace name 'Contoso' could not be found in Temporary ASP.NET Files"}
      - {t: "10:00:01.00", id: zq1a, level: High, corr: A, msg: "A build outside: error CS0016: Could not write to output file 'D:\\build\\a.dll'"}
      - {t: "10:00:02.00", id: zq1a, level: Medium, corr: A, msg: "error CS0016: Temporary ASP.NET Files, was compiled again"}
      - {t: "10:00:03.00", id: 8nca, corr: A, msg: "Application error when access /a.aspx, Error=(0): error CS1061"}
    expect: []
  - name: NEAR MISS a file of the cache is locked
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, msg: "System.IO.IOException: The process cannot access the file in Temporary ASP.NET Files because it is being used by another process."}
    expect: []
  - name: PASS a page is compiled
    uls:
      - {t: "10:00:00.00", id: zq1a, msg: "Page was compiled."}
    expect: []
  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1010_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1010
tests:
  - name: a page fails, each row and form
    each:
      id: [8nca, tkau, ajlz0, "6616"]
      text: ["Session state can only be used when enableSessionState is set to true, either in a configuration file or in the Page directive.", "Fehler.   bei System.Web.UI.Page.get_Session()     bei Contoso.Budget.Plan.OnLoad(EventArgs e)"]
    uls:
      - {t: "10:00:00.00", id: "<id>", level: High, corr: A, msg: "Error=<text>"}
    expect: [{verdict: session-state-off, severity: error, confidence: likely, symptoms: {failed: 1}}]
  - name: the rows of one request count once, and the generic rule says nothing
    with: [FS1002]
    uls:
      - {t: "10:00:00.00", id: 8nca, corr: A, msg: "Application error when access /a.aspx, Error=Session state can only be used when enableSessionState is set to true"}
      - {t: "10:00:00.01", id: tkau, level: Unexpected, category: Runtime, corr: A, msg: "System.Web.HttpException: Session state can only be used when enableSessionState is set to true"}
    expect: [{verdict: session-state-off, symptoms: {failed: 1}}]
  - name: NEAR MISS a form needs the State Service
    uls:
      - {t: "10:00:00.00", id: tkau, level: Unexpected, category: Runtime, corr: A, msg: "System.InvalidOperationException: The form cannot be rendered. This may be due to a misconfiguration of the Microsoft SharePoint Server State Service."}
    expect: []
  - name: NEAR MISS the sentence in another event
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, area: Contoso, category: Deploy, msg: "Check: Session state can only be used when enableSessionState is set to true, System.Web.UI.Page.get_Session()"}
    expect: []
  - name: PASS a request without an exception
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (GET:http://portal.contoso.local:80/)"}
    expect: []
  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1011_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1011
tests:
  - name: the upgrade fails, at each level from High on
    each: {level: [ERROR, High]}
    uls:
      - {t: "10:00:00.00", id: 6tf2, level: "<level>", category: Upgrade, process: PSCONFIG.EXE, msg: "System.NullReferenceException: Object reference not set to an instance of an object.    at Microsoft.Office.Server.Administration.SessionStateService.GetSessionStateModification(String name)"}
    expect: [{verdict: service-without-database, severity: error, confidence: likely, symptoms: {failed: 1}}]
  - name: a message alone
    paste: |
      System.NullReferenceException: Object reference not set to an instance of an object. at Microsoft.Office.Server.Administration.SessionStateService.GetSessionStateModification(String name)
    expect: [{verdict: service-without-database}]
  - name: NEAR MISS another part of the service fails, and below High
    uls:
      - {t: "10:00:00.00", id: 6tf2, level: High, category: Upgrade, msg: "System.NullReferenceException: x    at Microsoft.Office.Server.Administration.SessionStateService.Provision()"}
      - {t: "10:00:01.00", id: 6tf2, level: Medium, category: Upgrade, msg: "handled    at Microsoft.Office.Server.Administration.SessionStateService.GetSessionStateModification(String name)"}
    expect: []
  - name: NEAR MISS a page needs session state
    uls:
      - {t: "10:00:00.00", id: tkau, level: Unexpected, category: Runtime, msg: "System.Web.HttpException: Session state can only be used when enableSessionState is set to true"}
    expect: []
  - name: PASS an upgrade ends
    uls:
      - {t: "10:00:00.00", id: zq1a, level: INFO, category: Upgrade, msg: "Upgrade session finished successfully."}
    expect: []
  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1015_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1015
tests:
  - name: one page fails, its rows count once, and the generic rule says nothing
    with: [FS1002]
    uls:
      - {t: "10:00:00.00", id: 8nca, corr: A, msg: "Application error when access /a.aspx, Error=Requested registry access is not allowed."}
      - {t: "10:00:00.01", id: tkau, level: Unexpected, category: Runtime, corr: A, msg: "System.Security.SecurityException: Der Zugriff ist nicht zulässig.    bei Microsoft.Win32.RegistryKey.OpenSubKey(String name, Boolean writable)"}
      - {t: "10:00:00.02", id: "6616", level: Critical, category: Runtime, corr: A, msg: "Requested registry access is not allowed."}
    expect: [{verdict: registry-denied, severity: warning, confidence: likely, symptoms: {denied: 1}}]
  - name: each row alone
    each:
      id: [8nca, zq1a]
      text: ["Requested registry access is not allowed.", "SecurityException at Microsoft.Win32.RegistryKey.OpenSubKey(String name)"]
    uls:
      - {t: "10:00:00.00", id: "<id>", level: High, corr: A, msg: "Error=<text>"}
    expect: [{verdict: registry-denied}]
  - name: only 8nca, as it is written
    each: {text: ["Requested registry access is not allowed.", "x at Microsoft.Win32.RegistryKey.OpenSubKey(String name)"]}
    uls:
      - {t: "10:00:00.00", id: 8nca, corr: A, msg: "Application error when access /a.aspx, Error=<text>"}
    expect: [{verdict: registry-denied}]
  - name: three requests fail
    uls:
      - {t: "10:00:00.00", times: 3, every: 1h, id: 8nca, corr: "R<n>", msg: "Application error when access /a.aspx, Error=Requested registry access is not allowed."}
    expect: [{verdict: registry-denied-often, severity: error, confidence: likely, symptoms: {denied: 3}}]
  - name: NEAR MISS two requests, with three rows each
    uls:
      - {t: "10:00:00.00", times: 3, every: 1s, id: 8nca, corr: A, msg: "Error=Requested registry access is not allowed."}
      - {t: "10:00:10.00", times: 3, every: 1s, id: 8nca, corr: B, msg: "Error=Requested registry access is not allowed."}
    expect: [{verdict: registry-denied, count: 2}]
  - name: NEAR MISS another refusal, the frame alone, and below High
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, msg: "System.Security.SecurityException: Request for the permission failed."}
      - {t: "10:00:01.00", id: zq1a, level: High, corr: A, msg: "System.ArgumentException at Microsoft.Win32.RegistryKey.OpenSubKey(String name)"}
      - {t: "10:00:02.00", id: zq1a, level: Medium, corr: A, msg: "SecurityException at Microsoft.Win32.RegistryKey.OpenSubKey(String name)"}
      - {t: "10:00:02.50", id: zq1a, level: Medium, corr: A, msg: "Requested registry access is not allowed."}
      - {t: "10:00:03.00", id: 8nca, corr: A, msg: "Application error when access /a.aspx, Error=Value cannot be null."}
    expect: []
  - name: PASS a request without an exception
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (GET:http://portal.contoso.local:80/)"}
    expect: []
  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1017_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1017
tests:
  - name: a job fails, with and without 0x, in another language
    each: {text: ["(0x800703FA): Es wurde versucht, einen Registrierungsschlüssel zu verwenden", "failed due to the following error: 800703fa Illegal operation attempted on a registry key that has been marked for deletion."]}
    uls:
      - {t: "10:00:00.00", id: ada0j, level: High, area: SharePoint Portal Server, category: Microfeeds, corr: A, msg: "System.Runtime.InteropServices.COMException Retrieving the COM class factory for component with CLSID {BDEADF26-C265-11D0-BCED-00A0C90AB50F} <text>"}
    expect: [{verdict: hive-unloaded, severity: error, confidence: likely, symptoms: {unloaded: 1}}]
  - name: a page fails, and the generic rule says nothing of it
    with: [FS1002]
    uls:
      - {t: "10:00:00.00", id: 8nca, corr: A, msg: "Application error when access /a.aspx, Error=Retrieving the COM class factory failed due to the following error: 800703fa"}
    expect: [{verdict: hive-unloaded, symptoms: {unloaded: 1}}]
  - name: a message alone
    paste: |
      Retrieving the COM class factory for component with CLSID {BDEADF26-C265-11D0-BCED-00A0C90AB50F} failed due to the following error: 800703fa
    expect: [{verdict: hive-unloaded}]
  - name: NEAR MISS a class is not registered, and a client left
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, msg: "Retrieving the COM class factory for component with CLSID {BDEADF26-C265-11D0-BCED-00A0C90AB50F} failed due to the following error: 80040154 Class not registered"}
      - {t: "10:00:01.00", id: 8nca, corr: A, msg: "Application error when access /a.aspx, Error=The remote host closed the connection. The error code is 0x800703E3."}
    expect: []
  - name: NEAR MISS a row below High
    uls:
      - {t: "10:00:00.00", id: zq1a, level: Medium, corr: A, msg: "The code 0x800703FA was handled."}
    expect: []
  - name: PASS a class is created
    uls:
      - {t: "10:00:00.00", id: zq1a, msg: "Object was created."}
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

  - name: the farm says that its servers have different builds
    uls:
      - {t: "10:00:00.00", id: tkau, level: Unexpected, category: Runtime, corr: A, msg: "System.MissingMethodException: Method not found: 'Void Microsoft.SharePoint.SPWeb.Renew(System.String)'.    at Microsoft.SharePoint.Publishing.StartPage.OnLoad(EventArgs e)"}
      - {t: "10:00:02.00", id: tkau, level: Unexpected, category: Runtime, corr: B, msg: "System.InvalidProgramException: Common Language Runtime detected an invalid program.    at Microsoft.SharePoint.Publishing.StartPage.OnLoad(EventArgs e)"}
    farm: '{"schema": "fastctl.farm/1", "edition": "foundation", "servers": [{"name": "WFE1", "build": "16.0.10396.20000"}, {"name": "WFE2", "build": "16.0.10400.20001"}]}'
    expect:
      - {verdict: mixed-builds, severity: error, confidence: certain, symptoms: {missing: 1, damaged: 1}, undecided: []}

  - name: NEAR MISS all servers have one build, and a third one's is not known
    each: {third: ['{"name": "APP1", "build": "16.0.10396.20000"}', '{"name": "APP1"}']}
    uls:
      - {t: "10:00:00.00", id: tkau, level: Unexpected, category: Runtime, corr: A, msg: "System.MissingMethodException: Method not found: 'Void Microsoft.SharePoint.SPWeb.Renew(System.String)'.    at Microsoft.SharePoint.Publishing.StartPage.OnLoad(EventArgs e)"}
    farm: '{"schema": "fastctl.farm/1", "servers": [{"name": "WFE1", "build": "16.0.10396.20000"}, {"name": "WFE2", "build": "16.0.10396.20000"}, <third>]}'
    expect:
      - {verdict: missing-method, severity: warning, confidence: likely}

  - name: the farm is SharePoint Foundation, which has only a stub
    uls:
      - {t: "10:00:00.00", id: 8nca, corr: A, msg: "Application error when access /_admin/newsite.aspx, Error=Common Language Runtime detected an invalid program.   at Microsoft.Office.Server.UserProfiles.ProfileReader.GetReader()"}
    farm: '{"schema": "fastctl.farm/1", "edition": "foundation", "servers": [{"name": "WFE1", "build": "15.0.4569.1000"}]}'
    expect:
      - {verdict: stub, severity: warning, confidence: likely, symptoms: {damaged: 1, stub: 1}, undecided: []}

  - name: NEAR MISS the farm is of another edition, so a file is damaged
    each: {edition: [standard, enterprise, subscription]}
    uls:
      - {t: "10:00:00.00", id: 8nca, corr: A, msg: "Application error when access /_admin/newsite.aspx, Error=Common Language Runtime detected an invalid program.   at Microsoft.Office.Server.UserProfiles.ProfileReader.GetReader()"}
    farm: '{"schema": "fastctl.farm/1", "edition": "<edition>", "servers": [{"name": "WFE1", "build": "15.0.4569.1000"}]}'
    expect:
      - {verdict: invalid-program, severity: warning, confidence: likely, undecided: []}

  - name: a missing method comes before a stub
    uls:
      - {t: "10:00:00.00", id: tkau, level: Unexpected, category: Runtime, corr: A, msg: "System.MissingMethodException: Method not found: 'Void Microsoft.SharePoint.SPWeb.Renew(System.String)'.    at Microsoft.SharePoint.Publishing.StartPage.OnLoad(EventArgs e)"}
      - {t: "10:00:01.00", id: 8nca, corr: B, msg: "Error=Common Language Runtime detected an invalid program.   at Microsoft.Office.Server.UserProfiles.ProfileReader.GetReader()"}
    farm: '{"schema": "fastctl.farm/1", "edition": "foundation", "servers": [{"name": "WFE1", "build": "15.0.4569.1000"}]}'
    expect:
      - {verdict: missing-method, symptoms: {missing: 1, damaged: 1}, undecided: []}

  - name: NEAR MISS SharePoint Foundation with a damaged program that every edition has
    uls:
      - {t: "10:00:00.00", id: 8nca, corr: A, msg: "Error=Common Language Runtime detected an invalid program.   at Microsoft.SharePoint.Publishing.StartPage.OnLoad(EventArgs e)"}
    farm: '{"schema": "fastctl.farm/1", "edition": "foundation", "servers": [{"name": "WFE1", "build": "15.0.4569.1000"}, {"name": "WFE2", "build": "15.0.4569.1001"}]}'
    expect:
      - {verdict: invalid-program}

  - name: the farm does not tell its edition
    uls:
      - {t: "10:00:00.00", id: 8nca, corr: A, msg: "Error=Common Language Runtime detected an invalid program.   at Microsoft.Office.Server.UserProfiles.ProfileReader.GetReader()"}
    farm: '{"schema": "fastctl.farm/1", "edition": null, "servers": [{"name": "WFE1", "build": "15.0.4569.1000"}]}'
    expect:
      - {verdict: edition, undecided: [stub]}

  - name: PASS a request without an exception
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (GET:http://portal.contoso.local:80/)"}
      - {t: "10:00:00.25", id: b4ly, category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (GET:http://portal.contoso.local:80/)). Execution Time=25"}
    expect: []

  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1020_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1020
tests:
  - name: a form is refused, each row and form
    each:
      id: [8nca, tkau, ajlz0, "6616"]
      text: ["Validation of viewstate MAC failed. If this application is hosted by a Web Farm or cluster, ensure that <machineKey> configuration specifies the same validationKey.", "System.Web.UI.ViewStateException: Ungültiger Viewstate."]
    uls:
      - {t: "10:00:00.00", times: 2, every: 1s, id: "<id>", level: High, corr: A, msg: "Error=<text>"}
    expect: [{verdict: refused, severity: warning, confidence: likely, symptoms: {refused: 1}}]
  - name: many forms are refused
    uls:
      - {t: "10:00:00.00", times: 10, every: 1h, id: 8nca, corr: "R<n>", msg: "Error=Validation of viewstate MAC failed."}
    expect: [{verdict: refused-often, severity: error, confidence: likely, symptoms: {refused: 10}}]
  - name: the generic rule says nothing of it
    with: [FS1002]
    uls:
      - {t: "10:00:00.00", id: tkau, level: Unexpected, category: Runtime, corr: A, msg: "System.Web.HttpException: Validation of viewstate MAC failed. ---> System.Web.UI.ViewStateException: Invalid viewstate."}
    expect: [{verdict: refused}]
  - name: NEAR MISS nine forms with several rows each
    uls:
      - {t: "10:00:00.00", times: 9, every: 1s, id: 8nca, corr: "R<n>", msg: "Error=Validation of viewstate MAC failed."}
      - {t: "10:00:20.00", times: 9, every: 1s, id: tkau, corr: "R<n>", msg: "Validation of viewstate MAC failed."}
    expect: [{verdict: refused, count: 9}]
  - name: NEAR MISS another exception, and the text in another event
    uls:
      - {t: "10:00:00.00", id: 8nca, corr: A, msg: "Error=The state information is invalid for this page and might be corrupted."}
      - {t: "10:00:01.00", id: zq1a, level: High, msg: "Check: Validation of viewstate MAC failed System.Web.UI.ViewStateException"}
    expect: []
  - name: PASS a form is posted
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://portal.contoso.local:80/)"}
    expect: []
  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1021_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1021
tests:
  - name: a change is refused, each row and form
    each:
      id: [8nca, tkau, ajlz0, "6616"]
      text: ["The security validation for this page is invalid. Click Back in your Web browser, refresh the page, and try your operation again.", "Die Sicherheitsüberprüfung ist ungültig. (0x8102006d)", "Fehler -2130575251"]
    uls:
      - {t: "10:00:00.00", times: 2, every: 1s, id: "<id>", level: Medium, corr: A, msg: "Error=<text>"}
    expect: [{verdict: refused, severity: warning, confidence: likely, symptoms: {refused: 1}}]
  - name: another row, at High
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, msg: "System.Runtime.InteropServices.COMException (0x8102006D)"}
    expect: [{verdict: refused}]
  - name: many changes are refused
    uls:
      - {t: "10:00:00.00", times: 10, every: 1h, id: 8nca, corr: "R<n>", msg: "Error=The security validation for this page is invalid."}
    expect: [{verdict: refused-often, severity: error, confidence: likely, symptoms: {refused: 10}}]
  - name: the generic rule says nothing of it
    with: [FS1002]
    uls:
      - {t: "10:00:00.00", id: tkau, level: Unexpected, category: Runtime, corr: A, msg: "Microsoft.SharePoint.SPException: The security validation for this page is invalid."}
    expect: [{verdict: refused}]
  - name: NEAR MISS nine changes with several rows each
    uls:
      - {t: "10:00:00.00", times: 9, every: 1s, id: 8nca, corr: "R<n>", msg: "Error=The security validation for this page is invalid."}
      - {t: "10:00:20.00", times: 9, every: 1s, id: tkau, corr: "R<n>", msg: "The security validation for this page is invalid."}
    expect: [{verdict: refused, count: 9}]
  - name: NEAR MISS another refusal, the text in another event, and below High
    uls:
      - {t: "10:00:00.00", id: 8nca, corr: A, msg: "Error=Updates are currently disallowed on GET requests. (0x80131600)"}
      - {t: "10:00:01.00", id: zq1a, level: High, msg: "Check: The security validation for this page is invalid, -2130575251"}
      - {t: "10:00:02.00", id: zq1a, level: Medium, msg: "0x8102006d was handled"}
    expect: []
  - name: PASS a change is saved
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://portal.contoso.local:80/)"}
    expect: []
  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1024_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1024
tests:
  - name: both accounts are missing
    each: {id: ["7362", zq1a]}
    uls:
      - {t: "10:00:00.00", id: "<id>", level: Medium, area: Web Content Management, category: Publishing Cache, msg: "Object Cache: The super user account utilized by the cache is not configured. This can increase the number of cache misses."}
      - {t: "10:00:01.00", id: "<id>", level: Medium, area: Web Content Management, category: Publishing Cache, msg: "Object Cache: The super reader account utilized by the cache is not configured."}
    expect:
      - {verdict: both-missing, severity: warning, confidence: likely, symptoms: {super_user: 1, super_reader: 1}}
  - name: one account is missing, in the event of another category
    each:
      account: [user, reader]
    uls:
      - {t: "10:00:00.00", id: "7362", level: Warning, category: General, msg: "Object Cache: The super <account> account utilized by the cache is not configured."}
    expect: [{verdict: one-missing, severity: warning, confidence: likely, symptoms: {"super_<account>": 1}}]
  - name: an account is not known, one row for each web of a page
    uls:
      - {t: "10:00:00.00", times: 2, every: 1s, id: 8vzh, level: Unexpected, area: Web Content Management, category: Publishing, corr: A, msg: "PortalSiteMapProvider was unable to fetch current node, request URL: /Pages/Home.aspx, message: Out of memory, stack:   at Microsoft.SharePoint.SPWeb.GetUserToken(String userName)     at Microsoft.SharePoint.Publishing.CacheManager..ctor(SPSite site)"}
      - {t: "10:00:03.00", id: "7362", level: Warning, category: Publishing Cache, msg: "Object Cache: The super user account utilized by the cache is not configured."}
      - {t: "10:00:04.00", id: "7362", level: Warning, category: Publishing Cache, msg: "Object Cache: The super reader account utilized by the cache is not configured."}
    expect:
      - {verdict: account-not-found, severity: error, confidence: likely, symptoms: {no_account: 1, super_user: 1, super_reader: 1}}
  - name: an account is not known, in another language
    uls:
      - {t: "10:00:00.00", id: 8vzh, level: Unexpected, category: Publishing, corr: A, msg: "Meldung: x, stack:   bei Microsoft.SharePoint.SPWeb.GetUserToken(String userName)     bei Microsoft.SharePoint.Publishing.CacheManager..ctor(SPSite site)"}
    expect: [{verdict: account-not-found, symptoms: {no_account: 1}}]
  - name: NEAR MISS navigation fails for another reason, each frame alone, and in another event
    uls:
      - {t: "10:00:00.00", id: 8vzh, level: Unexpected, category: Publishing, corr: A, msg: "PortalSiteMapProvider was unable to fetch current node, stack:   at Microsoft.SharePoint.Publishing.CacheManager..ctor(SPSite site)"}
      - {t: "10:00:01.00", id: 8vzh, level: Unexpected, category: Publishing, corr: A, msg: "PortalSiteMapProvider was unable to fetch current node, stack:   at Microsoft.SharePoint.SPWeb.GetUserToken(String userName)"}
      - {t: "10:00:02.00", id: 8vzi, level: Unexpected, category: Publishing, corr: A, msg: "at Microsoft.SharePoint.SPWeb.GetUserToken(String userName)     at Microsoft.SharePoint.Publishing.CacheManager..ctor(SPSite site)"}
    expect: []
  - name: NEAR MISS the cache says something else, each event and category
    uls:
      - {t: "10:00:00.00", id: "7362", level: Warning, category: Publishing Cache, msg: "Object Cache: The cache was flushed."}
      - {t: "10:00:01.00", id: zq1a, level: Warning, category: Publishing Cache, msg: "Object Cache: The super user account and the super reader account are set."}
    expect: []
  - name: NEAR MISS the words in a row of other code
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, area: Contoso, category: Deploy, msg: "Check: The super user account utilized by the cache, The super reader account utilized by the cache"}
    expect: []
  - name: PASS the cache is filled
    uls:
      - {t: "10:00:00.00", id: zq1a, category: Publishing Cache, msg: "Object cache was filled."}
    expect: []
  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1026_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1026
tests:
  - name: the service is not there, in each form
    each: {text: ["The remote server returned an error: (503).", "Server Unavailable.", "There was no endpoint listening at http://localhost:32843/SecurityTokenServiceApplication/securitytoken.svc that could accept the message.", "The HTTP service located at http://localhost:32843/SecurityTokenServiceApplication/securitytoken.svc is unavailable."]}
    uls:
      - {t: "10:00:00.00", times: 3, every: 2m, id: "8306", level: Critical, category: Claims Authentication, corr: "R<n>", msg: "An exception occurred when trying to issue security token: <text>"}
    expect:
      - {verdict: not-running, severity: error, confidence: likely, symptoms: {no_service: 3}, count: 3}
  - name: the service cannot be started, in each form
    each: {text: ["could not be activated", "cannot be activated"]}
    uls:
      - {t: "10:00:00.00", times: 3, every: 2m, id: "8306", level: Critical, category: Claims Authentication, corr: "R<n>", msg: "An exception occurred when trying to issue security token: The requested service <text>. See the server's diagnostic trace logs."}
    expect: [{verdict: not-activated, severity: error, confidence: likely, symptoms: {not_activated: 3}}]
  - name: the service is slow, in each form
    each: {text: ["The request channel timed out. The HTTP request has timed out.", "System.TimeoutException: x."]}
    uls:
      - {t: "10:00:00.00", times: 3, every: 2m, id: "8306", level: Critical, category: Claims Authentication, corr: "R<n>", msg: "An exception occurred when trying to issue security token: <text>"}
    expect: [{verdict: too-slow, severity: error, confidence: likely, symptoms: {timed_out: 3}}]
  - name: the service failed inside
    uls:
      - {t: "10:00:00.00", id: "8306", level: Critical, category: Claims Authentication, corr: A, msg: "An exception occurred when trying to issue security token: The server was unable to process the request due to an internal error. Turn on IncludeExceptionDetailInFaults."}
    expect: [{verdict: failed, severity: warning, confidence: likely, symptoms: {internal: 1}}]
  - name: all at once, the missing service comes first
    uls:
      - {t: "10:00:00.00", times: 3, every: 1s, id: "8306", level: Critical, category: Claims Authentication, msg: "An exception occurred when trying to issue security token: (503)"}
      - {t: "10:00:10.00", times: 3, every: 1s, id: "8306", level: Critical, category: Claims Authentication, msg: "An exception occurred when trying to issue security token: could not be activated"}
      - {t: "10:00:20.00", times: 3, every: 1s, id: "8306", level: Critical, category: Claims Authentication, msg: "An exception occurred when trying to issue security token: has timed out"}
      - {t: "10:00:30.00", id: "8306", level: Critical, category: Claims Authentication, msg: "An exception occurred when trying to issue security token: IncludeExceptionDetailInFaults"}
      - {t: "10:00:40.00", id: "8306", level: Critical, category: Claims Authentication, msg: "An exception occurred when trying to issue security token: The trusted login provider did not supply a token accepted by this farm."}
    expect: [{verdict: not-running, symptoms: {no_service: 3, not_activated: 3, timed_out: 3, internal: 1, refused: 1}}]
  - name: a service that does not start is also slow
    uls:
      - {t: "10:00:00.00", id: "8306", level: Critical, category: Claims Authentication, msg: "An exception occurred when trying to issue security token: (503)"}
      - {t: "10:00:10.00", times: 3, every: 1s, id: "8306", level: Critical, category: Claims Authentication, msg: "An exception occurred when trying to issue security token: could not be activated"}
      - {t: "10:00:20.00", times: 3, every: 1s, id: "8306", level: Critical, category: Claims Authentication, msg: "An exception occurred when trying to issue security token: has timed out"}
      - {t: "10:00:30.00", id: "8306", level: Critical, category: Claims Authentication, msg: "An exception occurred when trying to issue security token: IncludeExceptionDetailInFaults"}
      - {t: "10:00:40.00", id: "8306", level: Critical, category: Claims Authentication, msg: "An exception occurred when trying to issue security token: The trusted login provider did not supply a token accepted by this farm."}
    expect: [{verdict: not-activated, symptoms: {no_service: 1, not_activated: 3, timed_out: 3, internal: 1, refused: 1}}]
  - name: a slow service fails otherwise too
    uls:
      - {t: "10:00:00.00", id: "8306", level: Critical, category: Claims Authentication, msg: "An exception occurred when trying to issue security token: (503)"}
      - {t: "10:00:20.00", times: 3, every: 1s, id: "8306", level: Critical, category: Claims Authentication, msg: "An exception occurred when trying to issue security token: has timed out"}
      - {t: "10:00:30.00", id: "8306", level: Critical, category: Claims Authentication, msg: "An exception occurred when trying to issue security token: IncludeExceptionDetailInFaults"}
      - {t: "10:00:40.00", id: "8306", level: Critical, category: Claims Authentication, msg: "An exception occurred when trying to issue security token: The trusted login provider did not supply a token accepted by this farm."}
    expect: [{verdict: too-slow, symptoms: {no_service: 1, timed_out: 3, internal: 1, refused: 1}}]
  - name: NEAR MISS each kind now and then, and over an hour
    each: {text: ["(503)", "could not be activated", "has timed out"]}
    uls:
      - {t: "10:00:00.00", times: 2, every: 1m, id: "8306", level: Critical, category: Claims Authentication, msg: "An exception occurred when trying to issue security token: <text>"}
      - {t: "12:00:00.00", times: 3, every: 30m, id: "8306", level: Critical, category: Claims Authentication, msg: "An exception occurred when trying to issue security token: <text>"}
    expect: [{verdict: failed, severity: warning, count: 5}]
  - name: NEAR MISS each kind once
    uls:
      - {t: "10:00:00.00", id: "8306", level: Critical, category: Claims Authentication, msg: "An exception occurred when trying to issue security token: (503)"}
      - {t: "10:00:01.00", id: "8306", level: Critical, category: Claims Authentication, msg: "An exception occurred when trying to issue security token: could not be activated"}
      - {t: "10:00:02.00", id: "8306", level: Critical, category: Claims Authentication, msg: "An exception occurred when trying to issue security token: has timed out"}
      - {t: "10:00:03.00", id: "8306", level: Critical, category: Claims Authentication, msg: "An exception occurred when trying to issue security token: The trusted login provider did not supply a token accepted by this farm."}
      - {t: "10:00:04.00", id: fo1t, level: Monitorable, category: Claims Authentication, msg: "SPSecurityTokenService.Issue() failed: The trusted login provider did not supply a token accepted by this farm."}
    expect: [{verdict: failed, symptoms: {no_service: 1, not_activated: 1, timed_out: 1, refused: 1}}]
  - name: NEAR MISS the user's token is refused
    uls:
      - {t: "10:00:00.00", times: 5, every: 1s, id: "8306", level: Critical, category: Claims Authentication, msg: "An exception occurred when trying to issue security token: The trusted login provider did not supply a token accepted by this farm."}
    expect: []
  - name: NEAR MISS another service is not there
    uls:
      - {t: "10:00:00.00", times: 3, every: 1s, id: "8313", level: Critical, category: Topology, msg: "SharePoint Web Services Round Robin Service Load Balancer Event: EndpointFailure: (503) could not be activated has timed out IncludeExceptionDetailInFaults. The trusted login provider did not supply a token."}
    expect: []
  - name: NEAR MISS a claims provider fails
    uls:
      - {t: "10:00:00.00", times: 3, every: 1s, id: "8307", level: Critical, category: Claims Authentication, msg: "An exception occurred in Contoso claim provider when calling SPClaimProvider.FillClaimsForEntity(): The request has timed out."}
    expect: []
  - name: PASS a token is issued
    uls:
      - {t: "10:00:00.00", id: ak8dj, category: Claims Authentication, msg: "Token was issued."}
    expect: []
  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1028_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1028
tests:
  - name: one user has no identity claim
    uls:
      - {t: "10:00:00.00", times: 2, every: 1s, id: eu2n, level: Monitorable, category: Claims Authentication, corr: A, msg: "Trusted login provider 'Contoso' is not sending configured input identity claim type 'http://schemas.contoso.com/claims/mail'"}
      - {t: "10:00:03.00", id: fo1t, level: Monitorable, category: Claims Authentication, corr: A, msg: "SPSecurityTokenService.Issue() failed: System.ServiceModel.FaultException: The trusted login provider did not supply a token accepted by this farm."}
    expect:
      - verdict: identity-claim-missing-once
        severity: warning
        confidence: likely
        symptoms: {no_claim: 1, refused: 1}
        captures: {claim: "http://schemas.contoso.com/claims/mail"}
        message: "A token of a trusted provider came without the identity claim http://schemas.contoso.com/claims/mail, so that its user cannot sign in. Mostly the account has no such value in the directory."
  - name: several requests come without the claim
    uls:
      - {t: "10:00:00.00", times: 3, every: 1h, id: eu2n, level: Monitorable, category: Claims Authentication, corr: "R<n>", msg: "Trusted login provider 'Contoso' is not sending configured input identity claim type 'mail'"}
      - {t: "10:00:03.00", id: fo1t, level: Monitorable, category: Claims Authentication, corr: A, msg: "The trusted login provider did not supply a token accepted by this farm."}
      - {t: "10:00:04.00", id: zq1a, level: High, corr: B, msg: "SecurityTokenException at SPLocalIssuerNameRegistry.GetIssuerName(x)"}
    expect: [{verdict: identity-claim-missing, severity: error, confidence: likely, symptoms: {no_claim: 3, refused: 1, issuer: 1}, captures: {claim: mail}}]
  - name: the issuer is not trusted, and the rest
    uls:
      - {t: "10:00:00.00", times: 3, every: 1h, id: zq1a, level: High, category: Claims Authentication, corr: "R<n>", msg: "System.IdentityModel.Tokens.SecurityTokenException: Der Aussteller ist nicht vertrauenswürdig.    bei Microsoft.SharePoint.IdentityModel.SPLocalIssuerNameRegistry.GetIssuerName(SecurityToken securityToken)"}
      - {t: "10:00:01.00", times: 3, every: 1h, id: eu2n, level: Monitorable, category: Claims Authentication, corr: "S<n>", msg: "Trusted login provider 'Contoso' is not sending configured input identity claim type 'mail'"}
      - {t: "10:00:03.00", id: fo1t, level: Monitorable, category: Claims Authentication, corr: A, msg: "The trusted login provider did not supply a token accepted by this farm."}
    expect: [{verdict: issuer-not-trusted, severity: error, confidence: likely, symptoms: {issuer: 3, no_claim: 3, refused: 1}}]
  - name: an add-in is refused, each row, two rows of one request
    each: {id: [8nca, zq1a]}
    uls:
      - {t: "10:00:00.00", times: 2, every: 1s, id: "<id>", level: High, corr: A, msg: "Error=x SecurityTokenException   at Microsoft.SharePoint.IdentityModel.SPTrustedIssuerNameRegistry`1.GetIssuerName(SecurityToken securityToken)     at Microsoft.SharePoint.IdentityModel.SPJsonWebSecurityBaseTokenHandler.GetIssuerNameFromIssuerToken(JsonWebSecurityToken token)"}
    expect: [{verdict: add-in-issuer, severity: warning, confidence: likely, symptoms: {add_in: 1}}]
  - name: an add-in is refused, only 8nca, and the rest
    uls:
      - {t: "10:00:00.00", id: 8nca, corr: A, msg: "Error=x   at Microsoft.SharePoint.IdentityModel.SPTrustedIssuerNameRegistry.GetIssuerName(SecurityToken securityToken)     at Microsoft.SharePoint.IdentityModel.SPJsonWebSecurityBaseTokenHandler.GetIssuerNameFromIssuerToken(JsonWebSecurityToken token)"}
      - {t: "10:00:01.00", id: 8nca, corr: B, msg: "Error=x   at Microsoft.SharePoint.IdentityModel.SPLocalIssuerNameRegistry.GetIssuerName(SecurityToken securityToken)"}
      - {t: "10:00:02.00", id: eu2n, level: Monitorable, category: Claims Authentication, corr: C, msg: "Trusted login provider 'Contoso' is not sending configured input identity claim type 'mail'"}
      - {t: "10:00:03.00", id: fo1t, level: Monitorable, category: Claims Authentication, corr: D, msg: "The trusted login provider did not supply a token accepted by this farm."}
    expect: [{verdict: add-in-issuer, symptoms: {add_in: 1, issuer: 1, no_claim: 1, refused: 1}}]
  - name: people and add-ins are refused
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, msg: "SecurityTokenException at SPTrustedIssuerNameRegistry.GetIssuerName(x) at SPJsonWebSecurityBaseTokenHandler.Get(x)"}
      - {t: "10:00:01.00", times: 3, every: 1m, id: zq1a, level: High, corr: "R<n>", msg: "SecurityTokenException at SPLocalIssuerNameRegistry.GetIssuerName(x)"}
    expect: [{verdict: issuer-not-trusted, symptoms: {add_in: 1, issuer: 3}}]
  - name: people without a claim, and an add-in
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, msg: "SecurityTokenException at SPTrustedIssuerNameRegistry.GetIssuerName(x) at SPJsonWebSecurityBaseTokenHandler.Get(x)"}
      - {t: "10:00:01.00", times: 3, every: 1m, id: eu2n, level: Monitorable, category: Claims Authentication, corr: "R<n>", msg: "Trusted login provider 'Contoso' is not sending configured input identity claim type 'mail'"}
    expect: [{verdict: identity-claim-missing, symptoms: {add_in: 1, no_claim: 3}}]
  - name: NEAR MISS a token of OAuth has expired, another exception, and below High
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, msg: "SecurityTokenException: The token has expired. at SPJsonWebSecurityBaseTokenHandler.ValidateLifetime(x)"}
      - {t: "10:00:01.00", id: zq1a, level: High, corr: A, msg: "ArgumentException at SPX.GetIssuerName(x) at SPJsonWebSecurityBaseTokenHandler.Get(x)"}
      - {t: "10:00:02.00", id: zq1a, level: High, corr: A, msg: "SecurityTokenException at SPX.GetIssuerName(x)"}
      - {t: "10:00:03.00", id: zq1a, level: Medium, corr: A, msg: "SecurityTokenException at SPTrustedIssuerNameRegistry`1.GetIssuerName(x) at SPJsonWebSecurityBaseTokenHandler.Get(x)"}
      - {t: "10:00:04.00", id: 8nca, corr: A, msg: "Error=x at SPJsonWebSecurityBaseTokenHandler.ValidateLifetime(x)"}
      - {t: "10:00:05.00", id: 8nca, corr: A, msg: "Error=x at SPX.GetIssuerName(x)"}
    expect: []
  - name: one token of an unknown issuer, the rows of one page, and the generic rule says nothing
    with: [FS1002]
    uls:
      - {t: "10:00:00.00", id: 8nca, corr: A, msg: "Application error when access /_trust/default.aspx, Error=The issuer of the token is not a trusted issuer.   at Microsoft.SharePoint.IdentityModel.SPLocalIssuerNameRegistry.GetIssuerName(SecurityToken securityToken)"}
      - {t: "10:00:00.01", id: tkau, level: Unexpected, category: Runtime, corr: A, msg: "System.IdentityModel.Tokens.SecurityTokenException: The issuer of the token is not a trusted issuer.   at Microsoft.SharePoint.IdentityModel.SPLocalIssuerNameRegistry.GetIssuerName(SecurityToken securityToken)"}
    expect: [{verdict: issuer-once, severity: warning, confidence: likely, symptoms: {issuer: 1}}]
  - name: one token of an unknown issuer, only 8nca is in the log, and other failures
    uls:
      - {t: "10:00:00.00", id: 8nca, corr: A, msg: "Application error when access /_trust/default.aspx, Error=x.   at Microsoft.SharePoint.IdentityModel.SPLocalIssuerNameRegistry.GetIssuerName(SecurityToken securityToken)"}
      - {t: "10:00:01.00", id: eu2n, level: Monitorable, category: Claims Authentication, corr: B, msg: "Trusted login provider 'Contoso' is not sending configured input identity claim type 'mail'"}
      - {t: "10:00:03.00", id: fo1t, level: Monitorable, category: Claims Authentication, corr: C, msg: "The trusted login provider did not supply a token accepted by this farm."}
    expect: [{verdict: issuer-once, symptoms: {issuer: 1, no_claim: 1, refused: 1}}]
  - name: a token is refused, in each row and form
    each:
      id: [fo1t, "8306", 8nca, tkau]
      text: ["The trusted login provider did not supply a token accepted by this farm.", "Fehler.   bei Microsoft.SharePoint.IdentityModel.SPSecurityTokenService.SPRequestInfo.ValidateTrustedLoginRequest()"]
    uls:
      - {t: "10:00:00.00", times: 2, every: 1s, id: "<id>", level: Monitorable, category: Claims Authentication, corr: A, msg: "Error: <text>"}
    expect: [{verdict: refused, severity: warning, confidence: likely, symptoms: {refused: 1}}]
  - name: NEAR MISS two requests of each kind
    each: {text: ["is not sending configured input identity claim type 'mail'", "SecurityTokenException at SPLocalIssuerNameRegistry.GetIssuerName(x)"]}
    uls:
      - {t: "10:00:00.00", times: 2, every: 1s, id: eu2n, level: Monitorable, category: Claims Authentication, corr: "R<n>", msg: "Trusted login provider 'Contoso' <text>"}
      - {t: "10:10:00.00", times: 2, every: 1s, id: eu2n, level: Monitorable, category: Claims Authentication, corr: R1, msg: "Trusted login provider 'Contoso' <text>"}
    expect: [{severity: warning, count: 2}]
  - name: NEAR MISS the texts in other rows
    uls:
      - {t: "10:00:00.00", id: eu2o, level: Monitorable, category: Claims Authentication, corr: A, msg: "Provider is not sending configured input identity claim type 'mail'. The trusted login provider did not supply a token accepted by this farm. SPRequestInfo.ValidateTrustedLoginRequest("}
      - {t: "10:00:01.00", id: eu2n, level: Monitorable, category: Claims Authentication, corr: A, msg: "Trusted login provider 'Contoso' is known."}
      - {t: "10:00:02.00", id: fo1t, level: Monitorable, category: Claims Authentication, corr: A, msg: "SPSecurityTokenService.Issue() failed: System.ServiceModel.FaultException: Time-out."}
      - {t: "10:00:03.00", id: 8nca, corr: A, msg: "Application error when access /a.aspx, Error=Value cannot be null."}
    expect: []
  - name: NEAR MISS another token exception, another frame, and below High
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, msg: "System.IdentityModel.Tokens.SecurityTokenException: The token has expired."}
      - {t: "10:00:01.00", id: zq1a, level: High, corr: A, msg: "System.ArgumentNullException at SPLocalIssuerNameRegistry.GetIssuerName(x)"}
      - {t: "10:00:02.00", id: zq1a, level: Medium, corr: A, msg: "SecurityTokenException at SPLocalIssuerNameRegistry.GetIssuerName(x)"}
    expect: []
  - name: NEAR MISS a user of Windows has no rights
    uls:
      - {t: "10:00:00.00", id: tkau, level: Unexpected, category: Runtime, corr: A, msg: "System.UnauthorizedAccessException: Access is denied."}
    expect: []
  - name: PASS a token is accepted
    uls:
      - {t: "10:00:00.00", id: ak8dj, category: Claims Authentication, msg: "Token was issued."}
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
        severity: warning
        confidence: likely
        symptoms: {by_application: 1, refused: 1, answered: 1}
        message: "client.svc refuses calls with an application's token (1 request(s)): SharePoint sees no right to open the site. Mostly the user has none, or the groups of a SAML user were not passed on."
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
  - name: client.svc says how it answers, and no application is told of
    uls:
      - {t: "10:00:00.00", id: "xmnv", category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://sp.contoso.com/_vti_bin/client.svc/web/lists)"}
      - {t: "10:00:00.10", id: "ajmmu", category: Authentication Authorization, corr: A, msg: "Permission check failed. asking for 0x10000, have 0x2000000000"}
      - {t: "10:00:00.11", id: "afxwb", level: High, category: CSOM, corr: A, msg: "System.UnauthorizedAccessException: Attempted to perform an unauthorized operation.     at Microsoft.SharePoint.Client.SPClientServiceHost.OnBeginRequest()"}
      - {t: "10:00:00.12", id: "alkvd", category: Authentication Authorization, corr: A, msg: "Throw UnauthorizedAccessException instead of SPUtilityInternal.Send401 for client.svc request."}
      - {t: "10:00:00.20", id: "b4ly", category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://sp.contoso.com/_vti_bin/client.svc/web/lists)). Execution Time=201.5"}
    expect:
      - verdict: no-right
        severity: warning
        confidence: likely
        symptoms: {refused: 1, answered: 1}
        count: 1
        message: "client.svc refused a caller whose rights, as computed for this call, do not include Open (1 request(s)); the rows do not show whether the user lacks the right or whether the groups that give it were not passed on."
  - name: NEAR MISS another row alkvd, and the text under another event
    uls:
      - {t: "10:00:00.00", id: "xmnv", category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://sp.contoso.com/_vti_bin/client.svc/web/lists)"}
      - {t: "10:00:00.10", id: "ajmmu", category: Authentication Authorization, corr: A, msg: "Permission check failed. asking for 0x10000, have 0x2000000000"}
      - {t: "10:00:00.11", id: "afxwb", level: High, category: CSOM, corr: A, msg: "System.UnauthorizedAccessException: Attempted to perform an unauthorized operation.     at Microsoft.SharePoint.Client.SPClientServiceHost.OnBeginRequest()"}
      - {t: "10:00:00.12", id: "alkvd", category: Authentication Authorization, corr: A, msg: "Throw UnauthorizedAccessException."}
      - {t: "10:00:00.13", id: "zq1a", category: Authentication Authorization, corr: A, msg: "Calling SPUtilityInternal.Send401 for client.svc request."}
      - {t: "10:00:00.20", id: "b4ly", category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Request (POST:http://sp.contoso.com/_vti_bin/client.svc/web/lists)). Execution Time=201.5"}
    expect: [{verdict: no-right, symptoms: {refused: 1}}]
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
    expect: [{verdict: no-right, severity: warning, confidence: likely, symptoms: {refused: 1}, count: 1, message: "client.svc refused a caller whose rights, as computed for this call, do not include Open (1 request(s)); the rows do not show whether the user lacks the right or whether the groups that give it were not passed on."}]
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

private let FS1032_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1032
tests:
  - name: the farm does not trust itself, in each form
    each:
      root: [SharePoint Root Authority, SharePoint Services Root Authority]
      state: ["UntrustedRoot: A certificate chain processed.", "PartialChain: A certificate chain could not be built.", "The root of the certificate chain is not a trusted root authority."]
    uls:
      - {t: "10:00:00.00", id: "8311", level: Critical, category: Topology, corr: A, msg: "An operation failed because the following certificate has validation errors: Subject Name: CN=SharePoint Security Token Service, OU=SharePoint, O=Microsoft, C=US Issuer Name: CN=<root>, OU=SharePoint, O=Microsoft, C=US Thumbprint: 0A1B Errors: <state>"}
    expect:
      - verdict: own-root-missing
        severity: error
        confidence: likely
        symptoms: {own: 1}
        captures: {subject: "SharePoint Security Token Service, OU=SharePoint, O=Microsoft, C=US"}
  - name: the farm's own certificate over several lines
    uls:
      - {t: "10:00:00.00", id: "8311", level: Critical, category: Topology, corr: A, msg: "An operation failed because the following certificate has validation errors:\nSubject Name: CN=SharePoint Token\nIssuer Name: CN=SharePoint Root Authority\nErrors:\n UntrustedRoot: A certificate chain processed."}
    expect: [{verdict: own-root-missing, captures: {subject: SharePoint Token}}]
  - name: line breaks that the event log or a mail wrote as a backslash and n
    each:
      state: [NotTimeValid, UntrustedRoot, Revoked, OfflineRevocation, x]
    uls:
      - {t: "10:00:00.00", id: "8311", level: Critical, category: Topology, msg: "has validation errors:\\n\\nSubject Name: CN=portal.contoso.com\\nIssuer Name: CN=Contoso CA\\nThumbprint: 0A1B\\n\\nErrors:\\n\\n <state>"}
    expect: [{captures: {subject: portal.contoso.com}}]
  - name: the farm's own certificate, with such line breaks
    paste: |
      Log Name: Application
      Event ID: 8311
      Level: Error
      Description: An operation failed because the following certificate has validation errors:
      \n\nSubject Name: CN=SharePoint Security Token Service, OU=SharePoint, O=Microsoft, C=US\nIssuer
      Name: CN=SharePoint Root Authority, OU=SharePoint, O=Microsoft, C=US\nThumbprint: 0A1B\n\nErrors:\n\n The root of the certificate chain
      is not a trusted root authority.
    expect:
      - verdict: own-root-missing
        captures: {subject: "SharePoint Security Token Service, OU=SharePoint, O=Microsoft, C=US"}
        message: "Certificate SharePoint Security Token Service, OU=SharePoint, O=Microsoft, C=US, issued by a SharePoint farm's own root, is not trusted. Mostly the trust named local was deleted or holds another root, or the certificate is that of another farm."
  - name: a subject that does not begin with its common name
    each:
      state: [NotTimeValid, UntrustedRoot, Revoked, OfflineRevocation, x]
    uls:
      - {t: "10:00:00.00", id: "8311", level: Critical, category: Topology, msg: "Subject Name: E=it@contoso.com, CN=portal.contoso.com Issuer Name: CN=Contoso CA Errors: <state>"}
    expect: [{captures: {subject: "E=it@contoso.com, CN=portal.contoso.com"}}]
  - name: a subject of the farm that does not begin with its common name
    uls:
      - {t: "10:00:00.00", id: "8311", level: Critical, category: Topology, msg: "Subject Name: OU=SharePoint, CN=SharePoint Token Issuer Name: CN=SharePoint Root Authority Errors: UntrustedRoot"}
    expect: [{verdict: own-root-missing, captures: {subject: "OU=SharePoint, CN=SharePoint Token"}}]
  - name: a certificate has expired, in one line and in several
    each:
      sep: [" ", "\n"]
    uls:
      - {t: "10:00:00.00", times: 3, every: 1h, id: "8311", level: Critical, category: Topology, corr: "R<n>", msg: "Subject Name: CN=portal.contoso.com<sep>Issuer Name: CN=Contoso CA<sep>Errors: NotTimeValid: A required certificate is not within its validity period. UntrustedRoot: x."}
    expect:
      - verdict: expired
        severity: error
        confidence: likely
        symptoms: {expired: 3}
        captures: {subject: portal.contoso.com}
        message: "Certificate portal.contoso.com, or one above it, is outside its period of validity by this server's clock (NotTimeValid)."
  - name: an untrusted root, in each form, in one line and in several
    each:
      sep: [" ", "\n"]
      state: [UntrustedRoot, PartialChain, "The root of the certificate chain is not a trusted root authority."]
    uls:
      - {t: "10:00:00.00", times: 3, every: 1h, id: "8311", level: Critical, category: Topology, msg: "Subject Name: CN=adfs.contoso.com<sep>Issuer Name: CN=Contoso CA<sep>Errors: <state>: x. OfflineRevocation: x."}
    expect: [{verdict: untrusted, severity: error, confidence: likely, symptoms: {untrusted: 3}, captures: {subject: adfs.contoso.com}}]
  - name: what happened to one certificate before it expired, and while it was not trusted
    uls:
      - {t: "10:00:00.00", id: "8311", level: Critical, category: Topology, msg: "Subject Name: CN=adfs.contoso.com Issuer Name: CN=Contoso CA Errors: UntrustedRoot"}
      - {t: "10:00:01.00", id: "8311", level: Critical, category: Topology, msg: "Subject Name: CN=adfs.contoso.com Issuer Name: CN=Contoso CA Errors: Revoked: x."}
      - {t: "10:00:02.00", times: 3, every: 1h, id: "8311", level: Critical, category: Topology, msg: "Subject Name: CN=adfs.contoso.com Issuer Name: CN=Contoso CA Errors: NotTimeValid"}
      - {t: "11:00:00.00", id: "8311", level: Critical, category: Topology, msg: "Subject Name: CN=intra.contoso.com Issuer Name: CN=Contoso CA Errors: NotTimeValid"}
      - {t: "11:00:01.00", id: "8311", level: Critical, category: Topology, msg: "Subject Name: CN=intra.contoso.com Issuer Name: CN=Contoso CA Errors: Revoked: x."}
      - {t: "11:00:02.00", times: 3, every: 1h, id: "8311", level: Critical, category: Topology, msg: "Subject Name: CN=intra.contoso.com Issuer Name: CN=Contoso CA Errors: UntrustedRoot"}
      - {t: "12:00:00.00", times: 3, every: 1h, id: "8311", level: Critical, category: Topology, msg: "Subject Name: CN=SharePoint Token Issuer Name: CN=SharePoint Root Authority Errors: NotTimeValid"}
      - {t: "12:00:01.00", id: "8311", level: Critical, category: Topology, msg: "Subject Name: CN=SharePoint Token Issuer Name: CN=SharePoint Root Authority Errors: UntrustedRoot"}
      - {t: "12:00:02.00", id: "8311", level: Critical, category: Topology, msg: "Subject Name: CN=SharePoint Token Issuer Name: CN=Contoso CA Errors: UntrustedRoot"}
    expect:
      - {verdict: expired, symptoms: {expired: 3, untrusted: 1, revoked: 1}}
      - {verdict: untrusted, symptoms: {expired: 1, untrusted: 3, revoked: 1}}
      - {verdict: own-root-missing, symptoms: {own: 1, expired: 3, untrusted: 1}}
  - name: what else happened to a certificate that has expired, and to one that is not trusted
    uls:
      - {t: "10:00:00.00", times: 3, every: 1m, id: "8311", level: Critical, category: Topology, msg: "Subject Name: CN=one.contoso.com Issuer Name: CN=Contoso CA Errors: NotTimeValid"}
      - {t: "10:00:00.50", times: 3, every: 1m, id: "8311", level: Critical, category: Topology, msg: "Subject Name: CN=two.contoso.com Issuer Name: CN=Contoso CA Errors: UntrustedRoot"}
      - {t: "10:05:00.00", id: "8311", level: Critical, category: Topology, msg: "Subject Name: CN=one.contoso.com Issuer Name: CN=Contoso CA Errors: OfflineRevocation"}
      - {t: "10:05:01.00", id: "8311", level: Critical, category: Topology, msg: "Subject Name: CN=two.contoso.com Issuer Name: CN=Contoso CA Errors: OfflineRevocation"}
      - {t: "10:05:02.00", id: "8311", level: Critical, category: Topology, msg: "Subject Name: CN=one.contoso.com Issuer Name: CN=Contoso CA Errors: x"}
      - {t: "10:05:03.00", id: "8311", level: Critical, category: Topology, msg: "Subject Name: CN=two.contoso.com Issuer Name: CN=Contoso CA Errors: x"}
    expect: [{verdict: expired, symptoms: {expired: 3, offline: 1, other: 1}}, {verdict: untrusted, symptoms: {untrusted: 3, offline: 1, other: 1}}]
  - name: one certificate has expired, and then all of its chain was not trusted
    uls:
      - {t: "10:00:00.00", times: 3, every: 1m, id: "8311", level: Critical, category: Topology, msg: "Subject Name: CN=adfs.contoso.com Issuer Name: CN=Contoso CA Errors: UntrustedRoot"}
      - {t: "11:00:00.00", times: 3, every: 1m, id: "8311", level: Critical, category: Topology, msg: "Subject Name: CN=adfs.contoso.com Issuer Name: CN=Contoso CA Errors: NotTimeValid"}
    expect: [{verdict: expired}]
  - name: one finding for each certificate
    uls:
      - {t: "10:00:00.00", id: "8311", level: Critical, category: Topology, msg: "Subject Name: CN=one.contoso.com Issuer Name: CN=Contoso CA Errors: Revoked: x."}
      - {t: "10:00:01.00", id: "8311", level: Critical, category: Topology, msg: "Subject Name: CN=two.contoso.com\nIssuer Name: CN=Contoso CA Errors: x."}
      - {t: "10:00:02.00", id: "8311", level: Critical, category: Topology, msg: "Subject Name: CN=three.contoso.com Issuer Name: CN=Contoso CA Errors: NotTimeValid"}
      - {t: "10:00:03.00", id: "8311", level: Critical, category: Topology, msg: "Subject Name: CN=three.contoso.com Issuer Name: CN=Contoso CA Errors: UntrustedRoot"}
      - {t: "10:00:04.00", id: "8311", level: Critical, category: Topology, msg: "Subject Name: CN=three.contoso.com Issuer Name: CN=Contoso CA Errors: x"}
    expect:
      - {verdict: now-and-then, severity: warning, confidence: likely, symptoms: {revoked: 1}, captures: {subject: one.contoso.com}}
      - {verdict: now-and-then, symptoms: {other: 1}, captures: {subject: two.contoso.com}}
      - {verdict: now-and-then, symptoms: {expired: 1, untrusted: 1, other: 1}}
  - name: NEAR MISS two failures of each kind
    each: {state: [NotTimeValid, UntrustedRoot]}
    uls:
      - {t: "10:00:00.00", times: 2, every: 1m, id: "8311", level: Critical, category: Topology, msg: "Subject Name: CN=portal.contoso.com Issuer Name: CN=Contoso CA Errors: <state>"}
    expect: [{verdict: now-and-then, severity: warning, count: 2}]
  - name: the list of revoked certificates cannot be read
    each: {state: [RevocationStatusUnknown, OfflineRevocation]}
    uls:
      - {t: "10:00:00.00", times: 5, every: 1m, id: "8311", level: Critical, category: Topology, msg: "Subject Name: CN=portal.contoso.com Issuer Name: CN=Contoso CA Errors: <state>"}
    expect: [{verdict: not-checked, severity: warning, confidence: likely, symptoms: {offline: 5}, captures: {subject: portal.contoso.com}}]
  - name: NEAR MISS the list cannot be read, and each worse state of another certificate
    each: {state: [NotTimeValid, UntrustedRoot, Revoked]}
    uls:
      - {t: "10:00:00.00", id: "8311", level: Critical, category: Topology, msg: "Subject Name: CN=portal.contoso.com\nIssuer Name: CN=Contoso CA Errors: OfflineRevocation"}
      - {t: "10:00:01.00", id: "8311", level: Critical, category: Topology, msg: "Subject Name: CN=two.contoso.com\nIssuer Name: CN=Contoso CA Errors: OfflineRevocation"}
      - {t: "10:00:02.00", id: "8311", level: Critical, category: Topology, msg: "Subject Name: CN=two.contoso.com\nIssuer Name: CN=Contoso CA Errors: <state>"}
    expect: [{verdict: not-checked, symptoms: {offline: 1}, captures: {subject: portal.contoso.com}}, {verdict: now-and-then, captures: {subject: two.contoso.com}}]
  - name: NEAR MISS the list cannot be read, and another event speaks of revocation
    uls:
      - {t: "10:00:00.00", id: "8311", level: Critical, category: Topology, msg: "Subject Name: CN=one.contoso.com Issuer Name: CN=Contoso CA Errors: OfflineRevocation"}
      - {t: "10:00:01.00", id: zq1a, level: Critical, category: Topology, msg: "Subject Name: CN=one.contoso.com Issuer Name: CN=Contoso CA Errors: Revoked"}
    expect: [{verdict: not-checked, symptoms: {offline: 1}}]
  - name: NEAR MISS each worse state, with a list that cannot be read and with a certificate that is revoked
    each: {state: [Revoked, OfflineRevocation, RevocationStatusUnknown, x]}
    uls:
      - {t: "10:00:00.00", id: "8311", level: Critical, category: Topology, msg: "Subject Name: CN=one.contoso.com Issuer Name: CN=Contoso CA Errors: NotTimeValid <state>"}
      - {t: "10:00:01.00", id: "8311", level: Critical, category: Topology, msg: "Subject Name: CN=two.contoso.com Issuer Name: CN=Contoso CA Errors: UntrustedRoot <state>"}
      - {t: "10:00:02.00", id: "8311", level: Critical, category: Topology, msg: "Subject Name: CN=three.contoso.com Issuer Name: CN=Contoso CA Errors: PartialChain <state>"}
      - {t: "10:00:03.00", id: "8311", level: Critical, category: Topology, msg: "Subject Name: CN=four.contoso.com Issuer Name: CN=Contoso CA Errors: not a trusted root authority <state>"}
    expect:
      - {verdict: now-and-then, symptoms: {expired: 1}}
      - {verdict: now-and-then, symptoms: {untrusted: 1}}
      - {verdict: now-and-then, symptoms: {untrusted: 1}}
      - {verdict: now-and-then, symptoms: {untrusted: 1}}
  - name: NEAR MISS one certificate is revoked
    uls:
      - {t: "10:00:00.00", id: "8311", level: Critical, category: Topology, msg: "Subject Name: CN=one.contoso.com Issuer Name: CN=Contoso CA Errors: Revoked OfflineRevocation"}
    expect: [{verdict: now-and-then, symptoms: {revoked: 1}, captures: {subject: one.contoso.com}}]
  - name: NEAR MISS the farm's own certificate has expired, or is refused for another reason
    uls:
      - {t: "10:00:00.00", id: "8311", level: Critical, category: Topology, msg: "Subject Name: CN=SharePoint Token Issuer Name: CN=SharePoint Root Authority Errors: NotTimeValid UntrustedRoot"}
      - {t: "10:00:01.00", id: "8311", level: Critical, category: Topology, msg: "Subject Name: CN=SharePoint Token Issuer Name: CN=SharePoint Root Authority Errors: OfflineRevocation"}
    expect:
      - {verdict: now-and-then, symptoms: {expired: 1, offline: 1}}
  - name: NEAR MISS the same words in the event of slow validation
    uls:
      - {t: "10:00:00.00", id: "8321", level: Critical, category: Topology, msg: "Subject Name: CN=SharePoint Token Issuer Name: CN=SharePoint Root Authority Errors: UntrustedRoot"}
      - {t: "10:00:01.00", id: "8321", level: Critical, category: Topology, msg: "Subject Name: CN=portal Issuer Name: CN=Contoso CA Errors: UntrustedRoot"}
      - {t: "10:00:02.00", id: "8321", level: Critical, category: Topology, msg: "Subject Name: CN=portal Issuer Name: CN=Contoso CA Errors: NotTimeValid"}
      - {t: "10:00:03.00", id: "8321", level: Critical, category: Topology, msg: "Subject Name: CN=portal Issuer Name: CN=Contoso CA Errors: x"}
      - {t: "10:00:04.00", id: "8321", level: Critical, category: Topology, msg: "Subject Name: CN=portal Issuer Name: CN=Contoso CA Errors: OfflineRevocation"}
      - {t: "10:00:05.00", id: "8321", level: Critical, category: Topology, msg: "Subject Name: CN=portal Issuer Name: CN=Contoso CA Errors: Revoked OfflineRevocation"}
    expect: []
  - name: PASS a token is issued
    uls:
      - {t: "10:00:00.00", id: ak8dj, category: Claims Authentication, msg: "Token was issued."}
    expect: []
  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1033_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1033
tests:
  - name: validation is slow again and again
    uls:
      - {t: "08:00:00.00", times: 5, every: 1h, id: "8321", level: Critical, category: Topology, msg: "A certificate validation operation took 14988.6926 milliseconds and has exceeded the execution time threshold.  If this continues to occur, it may represent a configuration issue."}
    expect: [{verdict: slow-often, severity: warning, confidence: likely, symptoms: {slow: 5}, captures: {milliseconds: "14988.6926"}, message: "The validation of certificates takes long again and again, first 14988.6926 ms, and what needs them waits. Mostly the server cannot reach the internet and waits for lists of revoked certificates."}]
  - name: validation is slow once
    uls:
      - {t: "08:00:00.00", id: "8321", level: Critical, category: Topology, msg: "Eine Zertifikatprüfung hat lange gedauert."}
    expect: [{verdict: slow, severity: info, confidence: likely, symptoms: {slow: 1}}]
  - name: a request waited for the validation
    uls:
      - {t: "08:00:00.00", id: b4ly, level: High, category: Monitoring, msg: "Leaving Monitored Scope (SPCertificateValidator.Validate). Execution Time=15064.2596346328"}
    expect: [{verdict: slow, severity: info, confidence: likely, symptoms: {scope: 1}, message: "The validation of a certificate took 15064.2596346328 ms; what needed it waited so long."}]
  - name: NEAR MISS a validation of less than ten seconds, a milder row, another scope, and another event
    uls:
      - {t: "07:59:59.00", id: b4ly, level: Medium, category: Monitoring, msg: "Leaving Monitored Scope (SPCertificateValidator.Validate). Execution Time=15064.2596346328"}
      - {t: "08:00:00.00", id: b4ly, level: High, category: Monitoring, msg: "Leaving Monitored Scope (SPCertificateValidator.Validate). Execution Time=9064.2596346328"}
      - {t: "08:00:01.00", id: b4ly, level: High, category: Monitoring, msg: "Leaving Monitored Scope (Validate). Execution Time=15064.2596346328"}
      - {t: "08:00:02.00", id: b4lz, level: High, category: Monitoring, msg: "Leaving Monitored Scope (SPCertificateValidator.Validate). Execution Time=15064.2596346328"}
    expect: []
  - name: NEAR MISS four in a minute, and five over a day
    uls:
      - {t: "01:00:00.00", times: 4, every: 1s, id: "8321", level: Critical, category: Topology, msg: "x"}
      - {t: "09:30:00.00", times: 5, every: 150m, id: "8321", level: Critical, category: Topology, msg: "x"}
    expect: [{verdict: slow, severity: info, count: 9}]
  - name: NEAR MISS a certificate is refused, and slow validation in another event
    uls:
      - {t: "10:00:00.00", times: 6, every: 1s, id: "8311", level: Critical, category: Topology, msg: "An operation failed because the following certificate has validation errors"}
      - {t: "10:00:01.00", id: zq1a, level: High, msg: "A certificate validation operation took 14988.6926 milliseconds"}
    expect: []
  - name: PASS a token is issued
    uls:
      - {t: "10:00:00.00", id: ak8dj, category: Claims Authentication, msg: "Token was issued."}
    expect: []
  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1034_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1034
tests:
  - name: the key is not readable, in words and by number
    each: {text: ["Keyset does not exist", "Der Schlüsselsatz ist nicht vorhanden. (0x80090016)"]}
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, msg: "System.Security.Cryptography.CryptographicException: <text>     at System.Security.Cryptography.Utils.CreateProvHandle(CspParameters parameters, Boolean randomKeyContainer)"}
    expect: [{verdict: not-readable, severity: error, confidence: likely, symptoms: {no_keyset: 1}}]
  - name: the key is in the newer store, in words and by number
    each: {text: ["Invalid provider type specified.", "Ungültig. (0x80090014)"]}
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, msg: "System.Security.Cryptography.CryptographicException: <text>"}
    expect: [{verdict: wrong-provider, severity: error, confidence: likely, symptoms: {provider: 1}}]
  - name: a page and a job, in words alone
    each: {id: [8nca, "6398"]}
    uls:
      - {t: "10:00:00.00", id: "<id>", level: Critical, corr: A, msg: "More information is included below.  Keyset does not exist"}
    expect: [{verdict: not-readable, symptoms: {no_keyset: 1}}]
  - name: a page and a job, with the newer store and both
    each: {id: [8nca, "6398"]}
    uls:
      - {t: "10:00:00.00", id: "<id>", level: Critical, corr: A, msg: "More information is included below.  Invalid provider type specified."}
      - {t: "10:00:00.00", id: "<id>", level: Critical, corr: A, msg: "More information is included below.  Keyset does not exist"}
    expect: [{verdict: wrong-provider, symptoms: {provider: 1, no_keyset: 1}}]
  - name: the generic rule says nothing of a page
    with: [FS1002]
    uls:
      - {t: "10:00:00.00", id: 8nca, corr: A, msg: "Application error when access /a.aspx, Error=Keyset does not exist"}
      - {t: "10:00:00.01", id: tkau, level: Unexpected, category: Runtime, corr: A, msg: "System.Security.Cryptography.CryptographicException: Keyset does not exist"}
    expect: [{verdict: not-readable, symptoms: {no_keyset: 2}}]
  - name: the rule for timer jobs says nothing of a job
    with: [FS1056]
    uls:
      - {t: "10:00:00.00", id: "6398", level: Critical, category: Timer, msg: "The Execute method of job definition Contoso.Job (ID 0a1b) threw an exception. More information is included below.  Invalid provider type specified."}
    expect: [{rule: FS1034, verdict: wrong-provider}]
  - name: a message alone
    paste: |
      System.Security.Cryptography.CryptographicException: Keyset does not exist at System.Security.Cryptography.Utils.CreateProvHandle(CspParameters parameters, Boolean randomKeyContainer)
    expect: [{verdict: not-readable}]
  - name: NEAR MISS the words without the exception, and below High
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, msg: "The help text says: Keyset does not exist"}
      - {t: "10:00:01.00", id: zq1a, level: High, msg: "The help text says: Invalid provider type specified"}
      - {t: "10:00:02.00", id: zq1a, level: Medium, msg: "CryptographicException handled: Keyset does not exist, 0x80090016"}
      - {t: "10:00:03.00", id: zq1a, level: Medium, msg: "CryptographicException handled: Invalid provider type specified, 0x80090014"}
    expect: []
  - name: NEAR MISS another error of cryptography, a page and a job
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, msg: "System.Security.Cryptography.CryptographicException: The parameter is incorrect. (0x80070057)"}
      - {t: "10:00:01.00", id: 8nca, corr: A, msg: "Application error when access /a.aspx, Error=Value cannot be null."}
      - {t: "10:00:02.00", id: "6398", level: Critical, msg: "The Execute method of job definition X threw an exception. More information is included below.  Value cannot be null."}
    expect: []
  - name: PASS a token is signed
    uls:
      - {t: "10:00:00.00", id: zq1a, msg: "Token was signed."}
    expect: []
  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1035_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1035
tests:
  - name: nobody listens at the pipe of the service
    uls:
      - {t: "10:00:00.00", id: zq1a, level: Medium, corr: A, msg: "System.ServiceModel.EndpointNotFoundException: The pipe endpoint 'net.pipe://localhost/s4u/0a0b0c0d-0000-4000-8000-000000000001' could not be found on your local machine."}
      - {t: "10:00:00.01", id: d52v, level: Medium, corr: A, msg: "could not find token for user 'contoso\\ann'"}
      - {t: "10:00:00.02", id: g220, level: Unexpected, corr: A, msg: "No windows identity for contoso\\ann."}
      - {t: "10:00:00.03", id: bz7l, level: Medium, corr: A, msg: "Could not retrieve a valid windows identity for NTName='CONTOSO\\ann'. System.ServiceModel.Security.SecurityAccessDeniedException: Access is denied."}
    expect: [{verdict: not-listening, severity: warning, confidence: likely, symptoms: {no_pipe: 1, no_token: 1, no_identity: 1, refused: 1}}]
  - name: the service does not take the call
    uls:
      - {t: "10:00:00.00", id: zq1a, level: Unexpected, corr: A, msg: "System.ServiceModel.EndpointNotFoundException: The message could not be dispatched because the service at the endpoint address 'net.pipe://localhost/s4u/0a0b0c0d-0000-4000-8000-000000000001' is unavailable for the protocol of the address."}
    expect: [{verdict: not-listening}]
  - name: NEAR MISS another pipe, another failure at it, and milder rows
    uls:
      - {t: "10:00:00.00", id: zq1a, level: Medium, msg: "The pipe endpoint 'net.pipe://localhost/other' could not be found on your local machine."}
      - {t: "10:00:01.00", id: zq1a, level: Medium, msg: "The pipe endpoint 'net.pipe://localhost/s4u/x' was closed."}
      - {t: "10:00:02.00", id: zq1a, level: Verbose, msg: "The pipe endpoint 'net.pipe://localhost/s4u/x' could not be found on your local machine."}
    expect: []
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

  - name: the service runs on no server of the farm
    each: {services: ['[]', '[{"type": "Microsoft.SharePoint.Administration.Claims.SPWindowsTokenServiceInstance", "name": "Anspruchsdienst", "status": "Disabled"}]']}
    uls:
      - {t: "10:00:00.00", id: d52v, level: High, category: Claims Authentication, corr: A, msg: "SPWindowsTokenCacheServiceApplication.GetUserHandle() could not find token for user '0#.w|contoso\\jane.doe'."}
      - {t: "10:00:00.01", id: g220, level: Unexpected, category: Claims Authentication, msg: "No windows identity for contoso\\jane.doe."}
    farm: '{"schema": "fastctl.farm/1", "servers": [{"name": "WFE1", "services": <services>}, {"name": "APP1", "services": []}]}'
    expect:
      - {verdict: not-running, severity: warning, confidence: certain, symptoms: {no_identity: 1, no_token: 1}, undecided: []}

  - name: a caller that was refused comes before a service that runs nowhere
    uls:
      - {t: "10:00:00.00", id: bz7l, category: Claims Authentication, corr: A, msg: "SPSecurityContext.WindowsIdentity: Could not retrieve a valid windows identity for NTName='FABRIKAM\\kim': System.ServiceModel.Security.SecurityAccessDeniedException: Access is denied."}
      - {t: "10:00:00.01", id: g220, level: Unexpected, category: Claims Authentication, msg: "No windows identity for fabrikam\\kim."}
    farm: '{"schema": "fastctl.farm/1", "servers": [{"name": "WFE1", "services": []}]}'
    expect:
      - {verdict: refused, symptoms: {refused: 1, no_identity: 1}}

  - name: NEAR MISS the service runs on a server of the farm
    uls:
      - {t: "10:00:00.00", id: d52v, level: High, category: Claims Authentication, corr: A, msg: "SPWindowsTokenCacheServiceApplication.GetUserHandle() could not find token for user '0#.w|contoso\\jane.doe'."}
      - {t: "10:00:00.01", id: g220, level: Unexpected, category: Claims Authentication, msg: "No windows identity for contoso\\jane.doe."}
    farm: '{"schema": "fastctl.farm/1", "servers": [{"name": "WFE1", "services": []}, {"name": "APP1", "services": [{"type": "Microsoft.SharePoint.Administration.Claims.SPWindowsTokenServiceInstance", "status": "Online"}]}]}'
    expect:
      - {verdict: no-identity, confidence: likely, undecided: []}

  - name: the services of one server are not known
    uls:
      - {t: "10:00:00.00", id: d52v, level: High, category: Claims Authentication, corr: A, msg: "SPWindowsTokenCacheServiceApplication.GetUserHandle() could not find token for user '0#.w|contoso\\jane.doe'."}
      - {t: "10:00:00.01", id: g220, level: Unexpected, category: Claims Authentication, msg: "No windows identity for contoso\\jane.doe."}
    farm: '{"schema": "fastctl.farm/1", "servers": [{"name": "WFE1", "services": []}, {"name": "APP1"}]}'
    expect:
      - {verdict: no-identity, undecided: [not-running]}

  - name: NEAR MISS the service runs nowhere, and nobody asks for it
    uls:
      - {t: "10:00:00.00", id: af3y9, category: Claims Authentication, corr: A, msg: "STS Call Claims Windows: Successfully requested sign-in claim identity on behalf of user '0#.w|contoso\\jane'."}
    farm: '{"schema": "fastctl.farm/1", "servers": [{"name": "WFE1", "services": []}]}'
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
        severity: warning
        confidence: likely
        symptoms: {lookup_failed: 1}
        captures: {domain: FABRIKAM, user: "FABRIKAM\\jdoe"}
        message: "No domain controller was found for FABRIKAM (error 1355), and FABRIKAM\\jdoe was not resolved. Mostly the short name of a trusted domain cannot be resolved, the domain is mistyped, or it cannot be reached."
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

private let FS1038_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1038
tests:
  - name: a ticket is refused, and then nobody answers
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, category: General, corr: A, msg: "Error in searching user 'jane' : System.DirectoryServices.DirectoryServicesCOMException (0x8007203B): Ein lokaler Fehler ist aufgetreten.    bei Microsoft.SharePoint.WebControls.PeopleEditor.SearchFromGC(SPActiveDirectoryDomain domain)"}
      - {t: "10:00:10.00", id: zq1a, level: High, category: General, corr: B, msg: "Error in searching user 'john' : System.Runtime.InteropServices.COMException (0x8007203A): The server is not operational.    at Microsoft.SharePoint.WebControls.PeopleEditor.SearchFromGC(SPActiveDirectoryDomain domain)"}
    expect: [{verdict: not-allowed-to-authenticate, severity: error, confidence: likely, symptoms: {refused: 1, down: 1}, captures: {user: jane}}]
  - name: nobody answers
    uls:
      - {t: "10:00:10.00", id: zq1a, level: High, category: General, corr: B, msg: "Error in searching user 'john' : System.Runtime.InteropServices.COMException (0x8007203A): The server is not operational.    at Microsoft.SharePoint.WebControls.PeopleEditor.SearchFromGC(SPActiveDirectoryDomain domain)"}
    expect: [{verdict: no-controller, severity: warning, confidence: likely, symptoms: {down: 1}, captures: {user: john}, message: "A search in Active Directory failed because the server was not operational (user john, 0x8007203A). Mostly no domain controller answers, or its ports are closed from this server."}]
  - name: the generic rule says nothing of a page
    with: [FS1002]
    uls:
      - {t: "10:00:00.00", id: tkau, level: Unexpected, category: Runtime, corr: A, msg: "System.DirectoryServices.DirectoryServicesCOMException (0x8007203B): x    at Microsoft.SharePoint.WebControls.PeopleEditor.SearchFromGC(SPActiveDirectoryDomain domain)"}
    expect: [{rule: FS1038, verdict: not-allowed-to-authenticate}]
  - name: a message alone
    paste: |
      Error in searching user 'jane' : System.DirectoryServices.DirectoryServicesCOMException (0x8007203B): A local error has occurred. at System.DirectoryServices.DirectoryEntry.Bind(Boolean throwIfFail) at Microsoft.SharePoint.WebControls.PeopleEditor.SearchFromGC(SPActiveDirectoryDomain domain)
    expect: [{verdict: not-allowed-to-authenticate, captures: {user: jane}}]
  - name: NEAR MISS each code outside the people picker, other codes inside, and below High
    each: {code: ["0x8007203A", "0x8007203B"]}
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, msg: "System.DirectoryServices.DirectoryServicesCOMException (<code>): x   at Contoso.Sync.Run()"}
      - {t: "10:00:01.00", id: zq1a, level: High, corr: A, msg: "System.DirectoryServices.DirectoryServicesCOMException (0x8007052E): x   at Microsoft.SharePoint.WebControls.PeopleEditor.SearchFromGC(SPActiveDirectoryDomain domain)"}
      - {t: "10:00:02.00", id: zq1a, level: Medium, corr: A, msg: "handled (<code>): x   at Microsoft.SharePoint.WebControls.PeopleEditor.SearchFromGC(SPActiveDirectoryDomain domain)"}
    expect: []
  - name: NEAR MISS the name of the domain is not found
    uls:
      - {t: "10:00:00.00", id: "72e1", level: High, corr: A, msg: "Unable to get domain DNS or forest DNS for domain contoso. ErrorCode=1355"}
    expect: []
  - name: PASS a name is found
    uls:
      - {t: "10:00:00.00", id: zq1a, msg: "Search found 1 user."}
    expect: []
  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1040_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1040
tests:
  - name: one finding for each user
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, category: Claims Authentication, corr: A, msg: "IdentityNotMappedException getting SID from AD for windows user. User: 'CONTOSO\\jane', Exception: 'System.Security.Principal.IdentityNotMappedException: x.    bei Microsoft.SharePoint.Administration.Claims.SPClaimUserKeyUtility.GetUserKeyClaimForWindows(IClaimsIdentity claimsIdentity)'."}
      - {t: "10:00:01.00", id: zq1a, level: High, category: Claims Authentication, corr: B, msg: "IdentityNotMappedException getting SID from AD for windows user. User: 'CONTOSO\\john', Exception: 'System.Security.Principal.IdentityNotMappedException: x.    at Microsoft.SharePoint.Administration.Claims.SPClaimUserKeyUtility.GetUserKeyClaimForWindows(IClaimsIdentity claimsIdentity)'."}
    expect:
      - {verdict: no-sid, severity: warning, confidence: likely, symptoms: {not_mapped: 1}, captures: {user: 'CONTOSO\jane'}}
      - {verdict: no-sid, symptoms: {not_mapped: 1}, captures: {user: 'CONTOSO\john'}}
  - name: a message alone
    paste: |
      IdentityNotMappedException getting SID from AD for windows user. User: 'CONTOSO\jane', Exception: 'System.Security.Principal.IdentityNotMappedException: Some or all identity references could not be translated. at Microsoft.SharePoint.Administration.Claims.SPClaimUserKeyUtility.GetUserKeyClaimForWindows(IClaimsIdentity claimsIdentity, SPClaim userIdentityClaim)'.
    expect: [{verdict: no-sid}]
  - name: NEAR MISS other code asks for a SID, the frame with another exception, and below High
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, msg: "System.Security.Principal.IdentityNotMappedException: x at Contoso.Sync.Run()"}
      - {t: "10:00:01.00", id: zq1a, level: High, msg: "System.ArgumentException at SPClaimUserKeyUtility.GetUserKeyClaimForWindows(x)"}
      - {t: "10:00:02.00", id: zq1a, level: Medium, msg: "IdentityNotMappedException at SPClaimUserKeyUtility.GetUserKeyClaimForWindows(x)"}
    expect: []
  - name: NEAR MISS a provider has no key for the user
    uls:
      - {t: "10:00:00.00", id: "8307", level: Critical, category: Claims Authentication, msg: "An exception occurred in Contoso claim provider when calling SPClaimProvider.FillUserKeyForEntity(): x"}
    expect: []
  - name: PASS a user has a SID
    uls:
      - {t: "10:00:00.00", id: zq1a, level: Verbose, msg: "Getting SID for windows user from AD. User: 'CONTOSO\\jane'."}
    expect: []
  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1041_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1041
tests:
  - name: a service for https is asked for by http, and another
    uls:
      - {t: "10:00:00.00", id: fx7n, level: Medium, category: Runtime, corr: A, msg: "Cannot find factory type for service at /_vti_bin/client.https.svc"}
      - {t: "10:00:01.00", id: fx7n, level: Medium, category: Runtime, corr: B, msg: "Cannot find factory type for service at /_vti_bin/contoso.svc"}
    expect: [{verdict: tls-offload, severity: error, confidence: likely, symptoms: {https_service: 1, service: 1}, captures: {path: /_vti_bin/client.https.svc}, message: "SharePoint found no service at /_vti_bin/client.https.svc, a name that pages use with https. Mostly the browser speaks https, but a proxy or load balancer passes the request on by http."}]
  - name: a service that is not there
    uls:
      - {t: "10:00:01.00", id: fx7n, level: Medium, category: Runtime, corr: B, msg: "Cannot find factory type for service at /_vti_bin/contoso.svc"}
    expect: [{verdict: service-not-found, severity: warning, confidence: likely, symptoms: {service: 1}, captures: {path: /_vti_bin/contoso.svc}}]
  - name: NEAR MISS the name in a request
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:http://portal.contoso.com:80/_vti_bin/client.https.svc)"}
    expect: []
  - name: NEAR MISS another event about a service
    uls:
      - {t: "10:00:00.00", id: fx7m, level: Medium, category: Runtime, corr: A, msg: "Cannot find factory type for service at /_vti_bin/contoso.svc"}
    expect: []
  - name: PASS a service is called
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:https://portal.contoso.com:443/_vti_bin/client.svc)"}
    expect: []
  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1042_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1042
tests:
  - name: one finding for each address, with and without commas
    uls:
      - {t: "10:00:00.00", id: "8214", level: High, category: Topology, corr: A, msg: "A request was made for a URL, http://web01, which has not been configured in Alternate Access Mappings.  Some links may point to the Alternate Access URL for the default zone, http://portal."}
      - {t: "10:00:01.00", id: "8214", level: High, category: Topology, corr: B, msg: "A request was made for a URL http://web02 which has not been configured in Alternate Access Mappings."}
    expect:
      - {verdict: no-mapping, severity: warning, confidence: likely, symptoms: {unknown: 1}, captures: {url: "http://web01"}, message: "A request came for http://web01, which is not among the alternate access mappings; links on pages, in mails and in search results may name another address."}
      - {verdict: no-mapping, symptoms: {unknown: 1}, captures: {url: "http://web02"}}
  - name: NEAR MISS the text in another event
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, msg: "A request was made for a URL, http://web01, which has not been configured in Alternate Access Mappings."}
    expect: []
  - name: NEAR MISS a form of InfoPath crosses domains
    uls:
      - {t: "10:00:00.00", id: eq8l, level: Warning, category: Runtime - Data Connections, msg: "The form could not be submitted because this action would violate cross-domain security restrictions."}
    expect: []
  - name: PASS a request under the usual address
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (GET:http://portal.contoso.local:80/)"}
    expect: []
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
        message: "A change to SPAlternateUrlCollection Name=Intranet Parent=SPFarm Name=SP_Config is refused because the configuration database does not have the version that was read (update conflict). Mostly, either somebody else saved it first, and the next attempt mostly works, or the configuration cache of a server is stale, and it fails again."
  - name: a paste that ran two rows together
    paste: |
      Date Time w3wp.exe (0x0F10) 0x1A04 Windows SharePoint Services Topology 8xqz Medium Updating SPPersistedObject SPFarm Name=SP_Config. Version: 4711 Ensure: 0, HashCode: 99, Id: 5f0b0e8e-6a53-4d0c-9d58-9e6f5f1c2a01, Stack: at Microsoft.SharePoint.Administration.SPFarm.Update() 75bdHigh UpdatedConcurrencyException: The object SPFarm Name=SP_Config was updated by another user. Determine if these changes will conflict.
    expect: [{verdict: one-conflict, symptoms: {refused: 1}, captures: {object: "SPFarm Name=SP_Config"}}]
  - name: the text is translated
    uls:
      - {t: "10:00:00.01", id: "75bd", level: High, category: Topology, corr: A, msg: "UpdatedConcurrencyException: Das Objekt SPFarm Name=SP_Config wurde von einem anderen Benutzer aktualisiert."}
    expect:
      - verdict: one-conflict
        message: "A change to a configuration object is refused because the configuration database does not have the version that was read (update conflict). Mostly, either somebody else saved it first, and the next attempt mostly works, or the configuration cache of a server is stale, and it fails again."
  - name: changes to one object are refused again and again
    uls:
      - {t: "10:00:00.00", times: 3, every: 5m, id: "75bd", level: High, category: Topology, corr: "R<n>", msg: "UpdatedConcurrencyException: The object SPFarm Name=SP_Config is being updated by CONTOSO\\farm, in the OWSTIMER process, on machine APP1.  View the tracing log for more information about the conflict."}
    expect:
      - {verdict: update-conflict, severity: error, confidence: likely, symptoms: {refused: 3}, captures: {object: "SPFarm Name=SP_Config"}, count: 3}
  - name: only who made the change tells of it
    uls:
      - {t: "10:00:00.00", id: "6398", level: Critical, category: Timer, corr: A, msg: "The Execute method of job definition Contoso.Jobs.Setup (ID 0a) threw an exception. More information is included below.  An update conflict has occurred, and you must re-try this action. The object UserProfileApplication Name=Profiles was updated by CONTOSO\\farm, in the OWSTIMER (4711) process, on machine APP1.  View the tracing log for more information about the conflict."}
    expect:
      - {verdict: one-conflict, severity: warning, confidence: likely, symptoms: {told: 1}, captures: {object: "UserProfileApplication Name=Profiles"}}
  - name: a job is being updated by another, as a paste tells it
    paste: |
      An update conflict has occurred, and you must re-try this action. The object SPServer Name=APP1 is being updated by CONTOSO\farm, in the OWSTIMER process, on machine APP1.
    expect: [{verdict: one-conflict, captures: {object: "SPServer Name=APP1"}}]
  - name: one change that many rows tell of
    uls:
      - {t: "10:00:00.00", id: "75bd", level: High, category: Topology, corr: A, msg: "UpdatedConcurrencyException: The object SPFarm Name=SP_Config was updated by CONTOSO\\farm"}
      - {t: "10:00:00.01", times: 3, every: 1s, id: zq1a, level: High, category: Topology, corr: A, msg: "An update conflict has occurred, and you must re-try this action. The object SPFarm Name=SP_Config was updated by CONTOSO\\farm"}
    expect: [{verdict: one-conflict, symptoms: {refused: 1, told: 3}}]
  - name: NEAR MISS the words of a conflict in milder rows, and of an upgrade
    uls:
      - {t: "10:00:00.00", id: zq1a, level: Medium, msg: "An update conflict has occurred, and you must re-try this action. The object SPFarm Name=SP_Config was updated by CONTOSO\\farm"}
      - {t: "10:00:01.00", id: zq1a, level: High, msg: "An update conflict has occurred, and you must re-try this action. The object SPUpgradeSession Name=S was updated by CONTOSO\\farm"}
      - {t: "10:00:02.00", id: zq1a, level: High, msg: "An update conflict was avoided."}
    expect: []
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
  - name: the configuration wizard tells of it, as a paste
    paste: |
      An exception of type Microsoft.SharePoint.Administration.SPUpdatedConcurrencyException was thrown.  Additional exception information: An update conflict has occurred, and you must re-try this action. The object SPUpgradeSession Name=Upgrade-20240311-100000-1 was updated by CONTOSO\setup, in the PSCONFIG (4711) process, on machine APP1.  View the tracing log for more information about the conflict.
    expect:
      - {verdict: upgrade-session, severity: warning, confidence: likely, symptoms: {wizard: 1}, captures: {object: "SPUpgradeSession Name=Upgrade-20240311-100000-1"}, count: 1}
  - name: the configuration wizard tells of it in a row, in the words of newer versions
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, msg: "Task upgrade failed. An exception of type Microsoft.SharePoint.Administration.SPUpdatedConcurrencyException was thrown.  Additional exception information: The object SPUpgradeSession Name=U1 is being updated by CONTOSO\\setup, in the PSCONFIG process, on machine APP1."}
    expect: [{verdict: upgrade-session, symptoms: {wizard: 1}, captures: {object: "SPUpgradeSession Name=U1"}}]
  - name: NEAR MISS the words of the wizard in a milder row, or not all of them
    uls:
      - {t: "10:00:00.00", id: zq1a, level: Medium, msg: "An exception of type Microsoft.SharePoint.Administration.SPUpdatedConcurrencyException was thrown.  Additional exception information: The object SPUpgradeSession Name=U1 was updated by CONTOSO\\setup, in the PSCONFIG (4711) process, on machine APP1."}
      - {t: "10:00:01.00", id: zq1a, level: High, msg: "SPUpdatedConcurrencyException was thrown while SPUpgradeSession Name=U1 began. The object SPServer Name=APP1 was updated by CONTOSO\\setup"}
      - {t: "10:00:02.00", id: zq1a, level: High, msg: "SPUpdatedConcurrencyException was noted. The object SPUpgradeSession Name=U1 was updated by CONTOSO\\setup"}
    expect: []
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

private let FS1044_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1044
tests:
  - name: Kerberos is not possible, each row alone
    each: {id: [8nca, ajlz0]}
    uls:
      - {t: "10:00:00.00", times: 2, every: 1s, id: "<id>", level: High, corr: A, msg: "Error=The system cannot contact a domain controller to service the authentication request. Please try again later   at Microsoft.SharePoint.Win32.SPNetApi32.NetUserChangePassword(String loginName, SecureString oldPassword, SecureString password)"}
    expect: [{verdict: ntlm-not-allowed, severity: error, confidence: likely, symptoms: {no_controller: 1}}]
  - name: only 8nca, each kind, as it is written
    uls:
      - {t: "10:00:00.00", id: 8nca, corr: A, msg: "Error=The system cannot contact a domain controller to service the authentication request.   at Microsoft.SharePoint.Win32.SPNetApi32.NetUserChangePassword(x)"}
      - {t: "10:00:10.00", times: 2, every: 1s, id: 8nca, corr: B, msg: "Error=Das Kennwort ist zu kurz.   bei Microsoft.SharePoint.Win32.SPNetApi32.NetUserChangePassword(x)"}
    expect: [{verdict: ntlm-not-allowed, symptoms: {no_controller: 1, other: 1}}]
  - name: a rule for passwords, and the generic rule says nothing of the page
    with: [FS1002]
    uls:
      - {t: "10:00:00.00", id: 8nca, corr: A, msg: "Error=The password does not meet the password policy requirements.   at Microsoft.SharePoint.Win32.SPNetApi32.NetUserChangePassword(x)"}
      - {t: "10:00:00.01", id: ajlz0, level: High, corr: A, msg: "Getting Error Message for Exception System.ComponentModel.Win32Exception: The password does not meet the password policy requirements.   at Microsoft.SharePoint.Win32.SPNetApi32.NetUserChangePassword(x)"}
    expect: [{verdict: refused, severity: warning, confidence: likely, symptoms: {other: 1}}]
  - name: NEAR MISS other code changes a password, the text alone, and below High
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, msg: "The system cannot contact a domain controller to service the authentication request at Contoso.NetUserChangePassword(x)"}
      - {t: "10:00:01.00", id: zq1a, level: Medium, msg: "The system cannot contact a domain controller to service the authentication request at Microsoft.SharePoint.Win32.SPNetApi32.NetUserChangePassword(x)"}
      - {t: "10:00:01.50", id: zq1a, level: Medium, msg: "handled at Microsoft.SharePoint.Win32.SPNetApi32.NetUserChangePassword(x)"}
      - {t: "10:00:02.00", id: 8nca, corr: A, msg: "Error=The system cannot contact a domain controller to service the authentication request."}
      - {t: "10:00:03.00", id: 8nca, corr: A, msg: "Error=Value cannot be null."}
    expect: []
  - name: NEAR MISS a user signs in with an old password
    uls:
      - {t: "10:00:02.00", id: zq1a, level: High, msg: "System.ComponentModel.Win32Exception: The user name or password is incorrect"}
    expect: []
  - name: PASS a password is changed
    uls:
      - {t: "10:00:00.00", id: zq1a, msg: "Password of a managed account was changed."}
    expect: []
  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1045_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1045
tests:
  - name: calls fail again and again, in words and by number, in each row
    each:
      id: [zq1a, 8nca]
      text: ["The encryption type requested is not supported by the KDC", "Fehler (0x80090342)"]
    uls:
      - {t: "10:00:00.00", times: 3, every: 25m, id: "<id>", level: High, category: Topology, corr: "R<n>", msg: "System.ServiceModel.Security.SecurityNegotiationException: A call to SSPI failed, see inner exception. ---> System.ComponentModel.Win32Exception: <text>"}
    expect:
      - {verdict: encryption-type, severity: error, confidence: likely, symptoms: {refused: 3}, count: 3}
  - name: a page of which only 8nca is in the log
    each: {text: ["The encryption type requested is not supported by the KDC", "Fehler (0x80090342)"]}
    uls:
      - {t: "10:00:00.00", id: 8nca, corr: A, msg: "Application error when access /_admin/managedaccounts.aspx, Error=<text>"}
    expect: [{verdict: encryption-type-once, severity: warning, confidence: likely, symptoms: {refused: 1}}]
  - name: other rules say nothing of the same row
    with: [FS1002, FS1026, FS1110]
    uls:
      - {t: "10:00:00.00", id: tkau, level: Unexpected, category: Runtime, corr: A, msg: "System.ComponentModel.Win32Exception: The encryption type requested is not supported by the KDC"}
      - {t: "10:00:01.00", id: "8306", level: Critical, category: Claims Authentication, corr: B, msg: "An exception occurred when trying to issue security token: could not be activated. The encryption type requested is not supported by the KDC"}
      - {t: "10:00:02.00", id: zq1a, level: High, category: Query, corr: C, msg: "System.ServiceModel.EndpointNotFoundException: /SearchAdmin.svc. The encryption type requested is not supported by the KDC"}
    expect: [{rule: FS1045, verdict: encryption-type, symptoms: {refused: 3}}]
  - name: NEAR MISS two calls, and three over a day
    uls:
      - {t: "01:00:00.00", times: 2, every: 1m, id: zq1a, level: High, category: Topology, msg: "The encryption type requested is not supported by the KDC"}
      - {t: "14:00:00.00", times: 3, every: 3h, id: zq1a, level: High, category: Topology, msg: "The encryption type requested is not supported by the KDC"}
    expect: [{verdict: encryption-type-once, severity: warning, count: 5}]
  - name: NEAR MISS another error of SSPI, and below High
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, category: Topology, msg: "A call to SSPI failed. ---> Win32Exception: The target principal name is incorrect (0x80090322)"}
      - {t: "10:00:01.00", id: zq1a, level: Medium, category: Topology, msg: "The encryption type requested is not supported by the KDC (0x80090342)"}
      - {t: "10:00:02.00", id: 8nca, corr: A, msg: "Application error when access /a.aspx, Error=Value cannot be null."}
    expect: []
  - name: PASS a call succeeds
    uls:
      - {t: "10:00:00.00", id: zq1a, category: Topology, msg: "Call completed."}
    expect: []
  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1046_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1046
tests:
  - name: the server does not answer, each number
    each: {number: [53, 10060, 10061, 11001]}
    uls:
      - {t: "10:00:00.00", times: 3, every: 2m, id: "5586", level: Critical, category: Database, corr: "R<n>", msg: "Unknown SQL Exception <number> occurred. Additional error information from SQL Server is included below.  A network-related error."}
    expect:
      - verdict: server-unreachable
        severity: error
        confidence: likely
        symptoms: {unreachable: 3}
        count: 3
  - name: the server is not found, with its own event, and as an exception
    each:
      row: ["3355 Critical Cannot connect to SQL Server. SQL01 not found.", "zq1a High System.Data.SqlClient.SqlException: A network-related or instance-specific error occurred while establishing a connection."]
    paste: |
      03/02/2026 10:00:00.00 w3wp.exe (0x1A2C) 0x0A10 SharePoint Foundation Database <row>
      03/02/2026 10:00:01.00 w3wp.exe (0x1A2C) 0x0A10 SharePoint Foundation Database <row>
      03/02/2026 10:00:02.00 w3wp.exe (0x1A2C) 0x0A10 SharePoint Foundation Database <row>
    expect: [{verdict: server-unreachable, symptoms: {unreachable: 3}}]
  - name: the secondary replica, by number and in words
    each:
      id: ["5586", "zq1a"]
      text: ["Unknown SQL Exception 976 occurred. System.Data.SqlClient.SqlException:", "Unknown SQL Exception 983 occurred. System.Data.SqlClient.SqlException:"]
    uls:
      - {t: "10:00:00.00", times: 3, every: 2m, id: "<id>", level: High, category: Database, corr: "R<n>", msg: "<text> The target database, 'SP_Config', is participating in an availability group and is currently not accessible for queries."}
    expect:
      - {verdict: replica-not-serving, severity: error, confidence: likely, symptoms: {secondary: 3}, captures: {database: SP_Config}}
  - name: the replica by number alone
    each:
      text: ["Unknown SQL Exception 976 occurred. Die Zieldatenbank.", "Unknown SQL Exception 983 occurred. Unable to access database 'SP_Config' because its database replica is not in the PRIMARY or SECONDARY role."]
    uls:
      - {t: "10:00:00.00", times: 3, every: 2m, id: "5586", level: Critical, category: Database, corr: "R<n>", msg: "<text>"}
    expect: [{verdict: replica-not-serving, symptoms: {secondary: 3}}]
  - name: the replica names the database in its other sentence
    uls:
      - {t: "10:00:00.00", times: 3, every: 2m, id: "5586", level: Critical, category: Database, corr: "R<n>", msg: "Unknown SQL Exception 983 occurred. Unable to access database 'SP_Config' because its database replica is not in the PRIMARY or SECONDARY role."}
    expect: [{verdict: replica-not-serving, captures: {database: SP_Config}}]
  - name: the rows with numbers name the database and the login, without a type
    uls:
      - {t: "10:00:00.00", times: 3, every: 2m, id: "5586", level: Critical, category: Database, corr: "R<n>", msg: "Unknown SQL Exception 976 occurred. The target database, 'SP_Config', is participating in an availability group."}
      - {t: "10:00:10.00", id: "5586", level: Critical, category: Database, msg: "Unknown SQL Exception 18456 occurred. Login failed for user 'CONTOSO\\svc'."}
    expect:
      - {verdict: replica-not-serving, symptoms: {secondary: 3}, captures: {database: SP_Config}}
      - {verdict: login-refused-once, severity: warning, symptoms: {refused: 1}, captures: {login: 'CONTOSO\svc'}}
  - name: a database cannot be opened, in each of the rows
    each:
      row:
        - "5586 Critical Unknown SQL Exception 4060 occurred. Additional error information from SQL Server is included below."
        - "3760 Critical SQL Database 'SP_State' on SQL Server instance 'SQL01' not found."
        - "zq1a High System.Data.SqlClient.SqlException:"
        - "8nca Medium Application error when access /a.aspx, Error="
    paste: |
      03/02/2026 10:00:00.00 w3wp.exe (0x1A2C) 0x0A10 SharePoint Foundation Database <row> Cannot open database "SP_State" requested by the login. The login failed.  Login failed for user 'CONTOSO\svc'.
      03/02/2026 10:00:01.00 w3wp.exe (0x1A2C) 0x0A10 SharePoint Foundation Database <row> Cannot open database "SP_State" requested by the login. The login failed.  Login failed for user 'CONTOSO\svc'.
      03/02/2026 10:00:02.00 w3wp.exe (0x1A2C) 0x0A10 SharePoint Foundation Database <row> Cannot open database "SP_State" requested by the login. The login failed.  Login failed for user 'CONTOSO\svc'.
    expect:
      - verdict: database-not-opened
        severity: error
        confidence: likely
        symptoms: {not_opened: 3}
        captures: {database: SP_State, login: 'CONTOSO\svc'}
        message: "Database SP_State cannot be opened by CONTOSO\\svc, again and again. Mostly it is gone, offline or renamed, or the account has no user in it."
  - name: an upgrade cannot open a database
    uls:
      - {t: "10:00:00.00", times: 3, every: 1m, id: an58c, level: High, category: Upgrade, msg: "Exception: Cannot open database \"Contoso_Data\" requested by the login. The login failed.Login failed for user 'CONTOSO\\installer'."}
    expect: [{verdict: database-not-opened, symptoms: {not_opened: 3}, captures: {database: Contoso_Data, login: 'CONTOSO\installer'}}]
  - name: the exception has its number before the words
    uls:
      - {t: "10:00:00.00", times: 3, every: 1m, id: zq1a, level: High, category: Database, msg: "System.Data.SqlClient.SqlException (0x80131904): Cannot open database \"Contoso_Data\" requested by the login. Login failed for user 'CONTOSO\\svc'."}
    expect: [{verdict: database-not-opened, symptoms: {not_opened: 3}, captures: {database: Contoso_Data, login: 'CONTOSO\svc'}}]
  - name: NEAR MISS an upgrade cannot open it in a milder row
    uls:
      - {t: "10:00:00.00", id: an58c, level: Medium, category: Upgrade, msg: "Exception: Cannot open database \"Contoso_Data\" requested by the login."}
    expect: []
  - name: number 4060 in another language, which names nothing
    uls:
      - {t: "10:00:00.00", times: 3, every: 1m, id: "5586", level: Critical, category: Database, msg: "Unknown SQL Exception 4060 occurred. Die von der Anmeldung angeforderte Datenbank kann nicht geöffnet werden."}
    expect: [{verdict: database-not-opened, symptoms: {not_opened: 3}}]
  - name: the event of the database alone, in two languages
    uls:
      - {t: "10:00:01.00", id: "3760", level: Critical, category: Database, msg: "SQL Database 'SP_State' on SQL Server instance 'SQL01' not found. Die Datenbank kann nicht geöffnet werden."}
      - {t: "10:00:02.00", times: 2, every: 1m, id: "3760", level: Critical, category: Database, msg: "SQL Database 'SP_State' on SQL Server instance 'SQL01' not found."}
    expect: [{verdict: database-not-opened, symptoms: {not_opened: 3}, captures: {database: SP_State}}]
  - name: the login is refused, by number and in words
    each: {id: ["5586", "zq1a"]}
    uls:
      - {t: "10:00:00.00", times: 3, every: 2m, id: "<id>", level: High, category: Database, corr: "R<n>", msg: "Unknown SQL Exception 18456 occurred. System.Data.SqlClient.SqlException: Login failed for user 'CONTOSO\\svc'."}
    expect:
      - {verdict: login-refused, severity: error, confidence: likely, symptoms: {refused: 3}, captures: {login: 'CONTOSO\svc'}, message: "SQL Server refuses the login of CONTOSO\\svc, again and again (mostly 18456)."}
  - name: the login is refused, number alone
    uls:
      - {t: "10:00:00.00", times: 3, every: 2m, id: "5586", level: Critical, category: Database, corr: "R<n>", msg: "Unknown SQL Exception 18456 occurred. Fehler bei der Anmeldung."}
    expect: [{verdict: login-refused, symptoms: {refused: 3}}]
  - name: all at once, the server comes first
    uls:
      - {t: "10:00:00.00", times: 3, every: 1m, id: "5586", level: Critical, category: Database, msg: "Unknown SQL Exception 53 occurred."}
      - {t: "10:00:10.00", times: 3, every: 1m, id: "5586", level: Critical, category: Database, msg: "Unknown SQL Exception 976 occurred."}
      - {t: "10:00:20.00", times: 3, every: 1m, id: "5586", level: Critical, category: Database, msg: "Unknown SQL Exception 4060 occurred."}
      - {t: "10:00:30.00", times: 3, every: 1m, id: "5586", level: Critical, category: Database, msg: "Unknown SQL Exception 18456 occurred."}
    expect: [{verdict: server-unreachable, symptoms: {unreachable: 3, secondary: 3, not_opened: 3, refused: 3}}]
  - name: the replica comes before the database, with the rest
    uls:
      - {t: "10:00:00.00", id: "5586", level: Critical, category: Database, msg: "Unknown SQL Exception 53 occurred."}
      - {t: "10:00:10.00", times: 3, every: 1m, id: "5586", level: Critical, category: Database, msg: "Unknown SQL Exception 976 occurred."}
      - {t: "10:00:20.00", times: 3, every: 1m, id: "5586", level: Critical, category: Database, msg: "Unknown SQL Exception 4060 occurred."}
      - {t: "10:00:30.00", times: 3, every: 1m, id: "5586", level: Critical, category: Database, msg: "Unknown SQL Exception 18456 occurred."}
    expect: [{verdict: replica-not-serving, symptoms: {unreachable: 1, secondary: 3, not_opened: 3, refused: 3}}]
  - name: the database comes before the login
    uls:
      - {t: "10:00:00.00", id: "5586", level: Critical, category: Database, msg: "Unknown SQL Exception 53 occurred."}
      - {t: "10:00:20.00", times: 3, every: 1m, id: "5586", level: Critical, category: Database, msg: "Unknown SQL Exception 4060 occurred."}
      - {t: "10:00:30.00", times: 3, every: 1m, id: "5586", level: Critical, category: Database, msg: "Unknown SQL Exception 18456 occurred."}
    expect: [{verdict: database-not-opened, symptoms: {unreachable: 1, not_opened: 3, refused: 3}}]
  - name: the login after a time-out
    uls:
      - {t: "10:00:00.00", id: "5586", level: Critical, category: Database, msg: "Unknown SQL Exception 53 occurred."}
      - {t: "10:00:30.00", times: 3, every: 1m, id: "5586", level: Critical, category: Database, msg: "Unknown SQL Exception 18456 occurred."}
    expect: [{verdict: login-refused, symptoms: {unreachable: 1, refused: 3}}]
  - name: a failed page is no generic exception, in each form
    each: {text: ["A network-related or instance-specific error occurred.", "Cannot open database ''SP_X'' requested by the login."]}
    with: [FS1002]
    uls:
      - {t: "10:00:00.00", id: 8nca, corr: A, msg: "Application error when access /a.aspx, Error=A network-related or instance-specific error occurred. <text>"}
      - {t: "10:00:00.01", id: tkau, level: Unexpected, category: Runtime, corr: A, msg: "System.Data.SqlClient.SqlException: A network-related or instance-specific error occurred. <text>"}
    expect: [{verdict: server-unreachable-once, severity: warning}]
  - name: what is not reached and what is not opened are two failures
    uls:
      - {t: "10:00:00.00", id: "5586", level: Critical, category: Database, msg: "Unknown SQL Exception 53 occurred."}
      - {t: "10:00:01.00", id: "5586", level: Critical, category: Database, msg: "Unknown SQL Exception 4060 occurred. Cannot open database \"Contoso_Data\" requested by the login. Login failed for user 'CONTOSO\\svc'."}
      - {t: "10:00:02.00", id: "3760", level: Critical, category: Database, msg: "SQL Database 'Contoso_Data' on SQL Server instance 'SQL01' not found. Cannot open database \"Contoso_Data\" requested by the login. Login failed for user 'CONTOSO\\svc'."}
      - {t: "10:00:03.00", id: "5586", level: Critical, category: Database, msg: "Unknown SQL Exception 18456 occurred. Login failed for user 'CONTOSO\\job'."}
    expect:
      - {verdict: server-unreachable-once, symptoms: {unreachable: 1}, message: "A process on this server got no connection to SQL Server. Mostly its name was not found, it did not answer in time, or it did not listen."}
      - {verdict: database-not-opened-once, symptoms: {not_opened: 2}, message: "Database Contoso_Data was not opened for CONTOSO\\svc. Mostly it is gone, offline or renamed, or the account has no user in it."}
      - {verdict: login-refused-once, symptoms: {refused: 1}, message: "SQL Server refused the login of CONTOSO\\job (mostly 18456)."}
  - name: one row of each, by its own name
    uls:
      - {t: "10:00:00.00", id: "5586", level: Critical, category: Database, msg: "Unknown SQL Exception 53 occurred."}
    expect: [{verdict: server-unreachable-once, severity: warning, confidence: likely}]
  - name: one row of the replica
    uls:
      - {t: "10:00:00.00", id: "5586", level: Critical, category: Database, msg: "Unknown SQL Exception 976 occurred. The target database, 'D', is participating in an availability group."}
    expect: [{verdict: replica-not-serving-once, severity: warning, confidence: likely, message: "Database D is in an availability group, and the replica that was asked did not serve it (976 or 983), as while it fails over."}]
  - name: databases and accounts are told apart, in each form
    each:
      row:
        - "5586 Critical Unknown SQL Exception 53 occurred."
        - "3355 Critical Cannot connect to SQL Server."
        - "zq1a High System.Data.SqlClient.SqlException: A network-related or instance-specific error occurred."
        - "8nca Medium Application error when access /a.aspx, Error=A network-related or instance-specific error occurred."
    paste: |
      03/02/2026 10:00:00.00 w3wp.exe (0x1A2C) 0x0A10 SharePoint Foundation Database <row> Initial Catalog=A; for user 'CONTOSO\svc'
      03/02/2026 10:00:01.00 w3wp.exe (0x1A2C) 0x0A10 SharePoint Foundation Database <row> Initial Catalog=B; for user 'CONTOSO\svc'
      03/02/2026 10:00:02.00 w3wp.exe (0x1A2C) 0x0A10 SharePoint Foundation Database <row> Initial Catalog=B; for user 'CONTOSO\job'
    expect:
      - {verdict: server-unreachable-once, captures: {database: A, login: 'CONTOSO\svc'}}
      - {verdict: server-unreachable-once, captures: {database: B, login: 'CONTOSO\svc'}}
      - {verdict: server-unreachable-once, captures: {database: B, login: 'CONTOSO\job'}}
  - name: so with a replica
    each: {row: ["5586 Critical Unknown SQL Exception 976 occurred.", "zq1a High System.Data.SqlClient.SqlException:"]}
    paste: |
      03/02/2026 10:00:00.00 w3wp.exe (0x1A2C) 0x0A10 SharePoint Foundation Database <row> The target database, 'A', is participating in an availability group and is currently not accessible for user 'CONTOSO\svc'
      03/02/2026 10:00:01.00 w3wp.exe (0x1A2C) 0x0A10 SharePoint Foundation Database <row> The target database, 'A', is participating in an availability group and is currently not accessible for user 'CONTOSO\job'
    expect:
      - {verdict: replica-not-serving-once, captures: {database: A, login: 'CONTOSO\svc'}}
      - {verdict: replica-not-serving-once, captures: {database: A, login: 'CONTOSO\job'}}
  - name: so with logins
    each: {row: ["5586 Critical Unknown SQL Exception 18456 occurred.", "zq1a High System.Data.SqlClient.SqlException:"]}
    paste: |
      03/02/2026 10:00:00.00 w3wp.exe (0x1A2C) 0x0A10 SharePoint Foundation Database <row> Login failed for user 'CONTOSO\svc'. Reason: Failed to open the explicitly specified database 'A'.
      03/02/2026 10:00:01.00 w3wp.exe (0x1A2C) 0x0A10 SharePoint Foundation Database <row> Login failed for user 'CONTOSO\svc'. Reason: Failed to open the explicitly specified database 'B'.
    expect:
      - {verdict: login-refused-once, severity: warning, confidence: likely, captures: {database: A, login: 'CONTOSO\svc'}}
      - {verdict: login-refused-once, captures: {database: B, login: 'CONTOSO\svc'}}
  - name: NEAR MISS each failure now and then, or over an hour
    each: {number: [53, 976, 4060, 18456]}
    uls:
      - {t: "10:00:00.00", times: 2, every: 1m, id: "5586", level: Critical, category: Database, corr: "R<n>", msg: "Unknown SQL Exception <number> occurred."}
      - {t: "12:00:00.00", times: 3, every: 30m, id: "5586", level: Critical, category: Database, corr: "S<n>", msg: "Unknown SQL Exception <number> occurred."}
    expect: [{severity: warning, confidence: likely, count: 5}]
  - name: NEAR MISS one row of each
    each: {number: [53, 976, 4060, 18456]}
    uls:
      - {t: "10:00:00.00", id: "5586", level: Critical, category: Database, msg: "Unknown SQL Exception <number> occurred. Login failed for user 'CONTOSO\\svc'. Cannot open database \"D\" requested. The target database, 'D', is participating"}
    expect: [{severity: warning, count: 1}]
  - name: NEAR MISS rows that name nothing are one failure, and the worst leads
    uls:
      - {t: "10:00:00.00", id: "5586", level: Critical, category: Database, msg: "Unknown SQL Exception 53 occurred."}
      - {t: "10:00:01.00", id: "5586", level: Critical, category: Database, msg: "Unknown SQL Exception 976 occurred."}
      - {t: "10:00:02.00", id: "5586", level: Critical, category: Database, msg: "Unknown SQL Exception 4060 occurred."}
      - {t: "10:00:03.00", id: "5586", level: Critical, category: Database, msg: "Unknown SQL Exception 18456 occurred."}
    expect: [{verdict: server-unreachable-once, symptoms: {unreachable: 1, secondary: 1, not_opened: 1, refused: 1}}]
  - name: NEAR MISS the replica leads where the server answered
    uls:
      - {t: "10:00:01.00", id: "5586", level: Critical, category: Database, msg: "Unknown SQL Exception 976 occurred."}
      - {t: "10:00:02.00", id: "5586", level: Critical, category: Database, msg: "Unknown SQL Exception 4060 occurred."}
      - {t: "10:00:03.00", id: "5586", level: Critical, category: Database, msg: "Unknown SQL Exception 18456 occurred."}
    expect: [{verdict: replica-not-serving-once, symptoms: {secondary: 1, not_opened: 1, refused: 1}}]
  - name: NEAR MISS the database leads where only it and a login failed
    uls:
      - {t: "10:00:02.00", id: "5586", level: Critical, category: Database, msg: "Unknown SQL Exception 4060 occurred."}
      - {t: "10:00:03.00", id: "5586", level: Critical, category: Database, msg: "Unknown SQL Exception 18456 occurred."}
    expect: [{verdict: database-not-opened-once, symptoms: {not_opened: 1, refused: 1}}]
  - name: NEAR MISS another number, that begins with one of them, in each event
    uls:
      - {t: "10:00:00.00", id: "5586", level: Critical, category: Database, msg: "Unknown SQL Exception 530 occurred. Cannot do it."}
      - {t: "10:00:01.00", id: "5586", level: Critical, category: Database, msg: "Unknown SQL Exception 1205 occurred. Transaction was deadlocked."}
      - {t: "10:00:02.00", id: "5587", level: Medium, category: Database, msg: "Unknown SQL Exception 53 occurred, 976 occurred, SQL Exception 976 , SQL Exception 4060 and SQL Exception 18456 ."}
    expect: []
  - name: NEAR MISS the words below High, and in parts
    uls:
      - {t: "10:00:00.00", id: zq1a, level: Medium, category: Database, msg: "Retry after SqlException: network-related or instance-specific error, participating in an availability group and is currently not accessible, Cannot open database \"D\""}
      - {t: "10:00:00.50", id: zq1a, level: Medium, category: Database, msg: "Retry after SqlException: Login failed for user 'CONTOSO\\svc'."}
      - {t: "10:00:01.00", id: zq1a, level: High, category: Help Desk, msg: "The ticket says: network-related or instance-specific error"}
      - {t: "10:00:02.00", id: zq1a, level: High, category: Help Desk, msg: "The ticket says: participating in an availability group and is currently not accessible"}
      - {t: "10:00:03.00", id: zq1a, level: High, category: Help Desk, msg: "The ticket says: Cannot open database \"D\" requested by the login. Login failed for user 'x'."}
      - {t: "10:00:04.00", id: zq1a, level: High, category: Help Desk, msg: "The ticket says: Login failed for user 'x'."}
      - {t: "10:00:05.00", id: zq1a, level: High, category: Database, msg: "System.Data.SqlClient.SqlException: Timeout expired."}
      - {t: "10:00:06.00", id: 8nca, msg: "Application error when access /a.aspx, Error=Value cannot be null."}
    expect: []
  - name: NEAR MISS nobody's identity arrives, which is another failure
    uls:
      - {t: "10:00:00.00", times: 3, every: 1m, id: "5586", level: Critical, category: Database, msg: "Unknown SQL Exception 18456 occurred. Login failed for user 'NT AUTHORITY\\ANONYMOUS LOGON'."}
      - {t: "10:10:00.00", times: 3, every: 1m, id: zq1a, level: High, category: Database, msg: "System.Data.SqlClient.SqlException: Login failed for user 'NT AUTHORITY\\ANONYMOUS LOGON'."}
    expect: []
  - name: PASS a slow query
    uls:
      - {t: "10:00:00.00", id: fa43, level: High, category: Database, msg: "Slow Query Duration: 1043.7"}
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
        message: "SQL Server ended proc_SecRemovePrincipalFromScope as a deadlock victim (error 1205); its changes were rolled back. Whether the caller tried again, the row does not say."
  - name: SQL Server speaks another language, and the query is not known
    uls:
      - {t: "10:00:00.00", id: "6f8g", level: Unexpected, category: Database, corr: A, msg: 'Unexpected query execution failure, error code 1205. Additional error information from SQL Server is included below. "Die Transaktion (Prozess-ID 88) wurde als Deadlockopfer ausgewählt."'}
    expect: [{verdict: deadlock, message: "SQL Server ended a query as a deadlock victim (error 1205); its changes were rolled back. Whether the caller tried again, the row does not say."}]
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
  - name: the exception, in a row of other code
    each: {level: [Unexpected, High]}
    uls:
      - {t: "10:00:00.00", id: "zq1a", level: "<level>", category: General, corr: A, msg: "System.Data.SqlClient.SqlException (0x80131904): Transaction (Process ID 70) was deadlocked on lock resources with another process and has been chosen as the deadlock victim."}
    expect: [{verdict: deadlock, symptoms: {victims: 1}}]
  - name: the generic rule says nothing of a page that fails so
    with: [FS1002]
    uls:
      - {t: "10:00:00.00", id: tkau, level: Unexpected, category: Runtime, corr: A, msg: "System.Data.SqlClient.SqlException: Transaction (Process ID 70) has been chosen as the deadlock victim."}
    expect: [{rule: FS1047, verdict: deadlock}]
  - name: NEAR MISS the words alone, another exception, and below High
    uls:
      - {t: "10:00:00.00", id: "zq1a", level: High, category: General, corr: A, msg: "The ticket says: has been chosen as the deadlock victim."}
      - {t: "10:00:01.00", id: "zq1a", level: High, category: General, corr: A, msg: "System.Data.SqlClient.SqlException: Timeout expired."}
      - {t: "10:00:02.00", id: "zq1a", level: Medium, category: General, corr: A, msg: "SqlException handled: has been chosen as the deadlock victim."}
    expect: []
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
      - verdict: remote-blobs
        severity: error
        confidence: likely
        symptoms: {rbs: 2}
        captures: {permission: EXECUTE, object: rbs_fn_get_blob_reference, database: WSS_Content_HR, schema: mssqlrbs}
        message: "SQL Server denies EXECUTE on rbs_fn_get_blob_reference (schema mssqlrbs, first in database WSS_Content_HR), which belongs to Remote BLOB Storage."
      - verdict: project-server
        severity: error
        confidence: likely
        symptoms: {project: 1}
        captures: {permission: SELECT, object: MSP_TASKS}
        message: "SQL Server denies SELECT on MSP_TASKS (schema pjpub, first in database WSS_Content_PWA), which belongs to Project Server."
      - verdict: project-server
        symptoms: {project: 1}
        captures: {permission: SELECT, object: MSP_PROJECTS}
      - verdict: project-server
        symptoms: {project: 1}
        captures: {permission: UPDATE, object: MSP_TASKS}
  - name: nothing but the message, as somebody quoted it
    paste: |
      The INSERT permission was denied on the object 'MSP_RESOURCES', database 'WSS_Content_PWA', schema 'pjpub'.
    expect: [{verdict: project-server, symptoms: {project: 1}, captures: {permission: INSERT, object: MSP_RESOURCES}}]
  - name: nothing but the message, whose object tells whose it is
    paste: |
      The EXECUTE permission was denied on the object 'InsertTrackingAndStatus'
    expect:
      - verdict: workflow-manager
        severity: error
        confidence: likely
        symptoms: {workflow: 1}
        captures: {permission: EXECUTE, object: InsertTrackingAndStatus}
        message: "SQL Server denies EXECUTE on InsertTrackingAndStatus (schema not logged, first in database not logged), which belongs to Workflow Manager."
  - name: whose object it is, by each sign and in each form
    each: {end: ["database 'DB', schema 'mssqlrbs'", "database 'DB', schema 'pjpub'", "database 'DB', schema 'pjdraft'", "database 'DB', schema 'pjrep'", "database 'DB', schema 'pjver'", "database 'WFManagementDB', schema 'dbo'", "database 'WFInstanceManagementDB', schema 'dbo'", "database 'WFResourceManagementDB', schema 'dbo'"]}
    uls:
      - {t: "10:00:00.00", id: "tkau", level: High, corr: A, msg: "Cannot read the document: System.Data.SqlClient.SqlException: The EXECUTE permission was denied on the object 'proc_a', <end>."}
      - {t: "10:00:01.00", id: "tkau", level: High, corr: A, msg: "The EXECUTE permission was denied on the object 'proc_b', <end>. (System.Data.SqlClient.SqlException)"}
      - {t: "10:00:02.00", id: "5586", level: High, category: Database, corr: A, msg: "Cannot read the list: The EXECUTE permission was denied on the object 'proc_c', <end>."}
      - {t: "10:00:03.00", id: "5586", level: High, category: Database, corr: A, msg: "The EXECUTE permission was denied on the object 'proc_d', <end>."}
    expect:
      - {severity: error, confidence: likely, captures: {permission: EXECUTE, object: proc_a}}
      - {severity: error, confidence: likely, captures: {permission: EXECUTE, object: proc_b}}
      - {severity: error, confidence: likely, captures: {permission: EXECUTE, object: proc_c}}
      - {severity: error, confidence: likely, captures: {permission: EXECUTE, object: proc_d}}
  - name: the parts of the text, DB mssqlrbs
    uls:
      - {t: "10:00:00.00", id: "tkau", level: High, corr: A, msg: "System.Data.SqlClient.SqlException: The EXECUTE permission was denied on the object 'proc_a', database 'DB', schema 'mssqlrbs'."}
      - {t: "10:00:01.00", id: "5586", level: High, category: Database, corr: A, msg: "The EXECUTE permission was denied on the object 'proc_b', database 'DB', schema 'mssqlrbs'."}
      - {t: "10:00:03.00", id: "zq1a", level: High, area: Contoso, category: Help Desk, corr: B, msg: "The ticket says: The EXECUTE permission was denied on the object 'proc_c', database 'DB', schema 'mssqlrbs'."}
      - {t: "10:00:02.00", id: "5586", level: High, category: Database, corr: A, msg: "The EXECUTE permission was denied on the object 'proc_c', database 'DB', schema 'mssqlrbs'."}
    expect:
      - {verdict: remote-blobs, symptoms: {rbs: 1}, captures: {object: proc_a, database: DB, schema: mssqlrbs}}
      - {verdict: remote-blobs, symptoms: {rbs: 1}, captures: {object: proc_b, database: DB, schema: mssqlrbs}}
      - {verdict: remote-blobs, symptoms: {rbs: 1, quoted: 1}, captures: {object: proc_c, database: DB, schema: mssqlrbs}}
  - name: the parts of the text, DB pjpub
    uls:
      - {t: "10:00:00.00", id: "tkau", level: High, corr: A, msg: "System.Data.SqlClient.SqlException: The EXECUTE permission was denied on the object 'proc_a', database 'DB', schema 'pjpub'."}
      - {t: "10:00:01.00", id: "5586", level: High, category: Database, corr: A, msg: "The EXECUTE permission was denied on the object 'proc_b', database 'DB', schema 'pjpub'."}
      - {t: "10:00:03.00", id: "zq1a", level: High, area: Contoso, category: Help Desk, corr: B, msg: "The ticket says: The EXECUTE permission was denied on the object 'proc_c', database 'DB', schema 'pjpub'."}
      - {t: "10:00:02.00", id: "5586", level: High, category: Database, corr: A, msg: "The EXECUTE permission was denied on the object 'proc_c', database 'DB', schema 'pjpub'."}
    expect:
      - {verdict: project-server, symptoms: {project: 1}, captures: {object: proc_a, database: DB, schema: pjpub}}
      - {verdict: project-server, symptoms: {project: 1}, captures: {object: proc_b, database: DB, schema: pjpub}}
      - {verdict: project-server, symptoms: {project: 1, quoted: 1}, captures: {object: proc_c, database: DB, schema: pjpub}}
  - name: the parts of the text, DB pjdraft
    uls:
      - {t: "10:00:00.00", id: "tkau", level: High, corr: A, msg: "System.Data.SqlClient.SqlException: The EXECUTE permission was denied on the object 'proc_a', database 'DB', schema 'pjdraft'."}
      - {t: "10:00:01.00", id: "5586", level: High, category: Database, corr: A, msg: "The EXECUTE permission was denied on the object 'proc_b', database 'DB', schema 'pjdraft'."}
      - {t: "10:00:03.00", id: "zq1a", level: High, area: Contoso, category: Help Desk, corr: B, msg: "The ticket says: The EXECUTE permission was denied on the object 'proc_c', database 'DB', schema 'pjdraft'."}
      - {t: "10:00:02.00", id: "5586", level: High, category: Database, corr: A, msg: "The EXECUTE permission was denied on the object 'proc_c', database 'DB', schema 'pjdraft'."}
    expect:
      - {verdict: project-server, symptoms: {project: 1}, captures: {object: proc_a, database: DB, schema: pjdraft}}
      - {verdict: project-server, symptoms: {project: 1}, captures: {object: proc_b, database: DB, schema: pjdraft}}
      - {verdict: project-server, symptoms: {project: 1, quoted: 1}, captures: {object: proc_c, database: DB, schema: pjdraft}}
  - name: the parts of the text, DB pjrep
    uls:
      - {t: "10:00:00.00", id: "tkau", level: High, corr: A, msg: "System.Data.SqlClient.SqlException: The EXECUTE permission was denied on the object 'proc_a', database 'DB', schema 'pjrep'."}
      - {t: "10:00:01.00", id: "5586", level: High, category: Database, corr: A, msg: "The EXECUTE permission was denied on the object 'proc_b', database 'DB', schema 'pjrep'."}
      - {t: "10:00:03.00", id: "zq1a", level: High, area: Contoso, category: Help Desk, corr: B, msg: "The ticket says: The EXECUTE permission was denied on the object 'proc_c', database 'DB', schema 'pjrep'."}
      - {t: "10:00:02.00", id: "5586", level: High, category: Database, corr: A, msg: "The EXECUTE permission was denied on the object 'proc_c', database 'DB', schema 'pjrep'."}
    expect:
      - {verdict: project-server, symptoms: {project: 1}, captures: {object: proc_a, database: DB, schema: pjrep}}
      - {verdict: project-server, symptoms: {project: 1}, captures: {object: proc_b, database: DB, schema: pjrep}}
      - {verdict: project-server, symptoms: {project: 1, quoted: 1}, captures: {object: proc_c, database: DB, schema: pjrep}}
  - name: the parts of the text, DB pjver
    uls:
      - {t: "10:00:00.00", id: "tkau", level: High, corr: A, msg: "System.Data.SqlClient.SqlException: The EXECUTE permission was denied on the object 'proc_a', database 'DB', schema 'pjver'."}
      - {t: "10:00:01.00", id: "5586", level: High, category: Database, corr: A, msg: "The EXECUTE permission was denied on the object 'proc_b', database 'DB', schema 'pjver'."}
      - {t: "10:00:03.00", id: "zq1a", level: High, area: Contoso, category: Help Desk, corr: B, msg: "The ticket says: The EXECUTE permission was denied on the object 'proc_c', database 'DB', schema 'pjver'."}
      - {t: "10:00:02.00", id: "5586", level: High, category: Database, corr: A, msg: "The EXECUTE permission was denied on the object 'proc_c', database 'DB', schema 'pjver'."}
    expect:
      - {verdict: project-server, symptoms: {project: 1}, captures: {object: proc_a, database: DB, schema: pjver}}
      - {verdict: project-server, symptoms: {project: 1}, captures: {object: proc_b, database: DB, schema: pjver}}
      - {verdict: project-server, symptoms: {project: 1, quoted: 1}, captures: {object: proc_c, database: DB, schema: pjver}}
  - name: the parts of the text, WFManagementDB dbo
    uls:
      - {t: "10:00:00.00", id: "tkau", level: High, corr: A, msg: "System.Data.SqlClient.SqlException: The EXECUTE permission was denied on the object 'proc_a', database 'WFManagementDB', schema 'dbo'."}
      - {t: "10:00:01.00", id: "5586", level: High, category: Database, corr: A, msg: "The EXECUTE permission was denied on the object 'proc_b', database 'WFManagementDB', schema 'dbo'."}
      - {t: "10:00:03.00", id: "zq1a", level: High, area: Contoso, category: Help Desk, corr: B, msg: "The ticket says: The EXECUTE permission was denied on the object 'proc_c', database 'WFManagementDB', schema 'dbo'."}
      - {t: "10:00:02.00", id: "5586", level: High, category: Database, corr: A, msg: "The EXECUTE permission was denied on the object 'proc_c', database 'WFManagementDB', schema 'dbo'."}
    expect:
      - {verdict: workflow-manager, symptoms: {workflow: 1}, captures: {object: proc_a, database: WFManagementDB, schema: dbo}}
      - {verdict: workflow-manager, symptoms: {workflow: 1}, captures: {object: proc_b, database: WFManagementDB, schema: dbo}}
      - {verdict: workflow-manager, symptoms: {workflow: 1, quoted: 1}, captures: {object: proc_c, database: WFManagementDB, schema: dbo}}
  - name: the parts of the text, WFInstanceManagementDB dbo
    uls:
      - {t: "10:00:00.00", id: "tkau", level: High, corr: A, msg: "System.Data.SqlClient.SqlException: The EXECUTE permission was denied on the object 'proc_a', database 'WFInstanceManagementDB', schema 'dbo'."}
      - {t: "10:00:01.00", id: "5586", level: High, category: Database, corr: A, msg: "The EXECUTE permission was denied on the object 'proc_b', database 'WFInstanceManagementDB', schema 'dbo'."}
      - {t: "10:00:03.00", id: "zq1a", level: High, area: Contoso, category: Help Desk, corr: B, msg: "The ticket says: The EXECUTE permission was denied on the object 'proc_c', database 'WFInstanceManagementDB', schema 'dbo'."}
      - {t: "10:00:02.00", id: "5586", level: High, category: Database, corr: A, msg: "The EXECUTE permission was denied on the object 'proc_c', database 'WFInstanceManagementDB', schema 'dbo'."}
    expect:
      - {verdict: workflow-manager, symptoms: {workflow: 1}, captures: {object: proc_a, database: WFInstanceManagementDB, schema: dbo}}
      - {verdict: workflow-manager, symptoms: {workflow: 1}, captures: {object: proc_b, database: WFInstanceManagementDB, schema: dbo}}
      - {verdict: workflow-manager, symptoms: {workflow: 1, quoted: 1}, captures: {object: proc_c, database: WFInstanceManagementDB, schema: dbo}}
  - name: the parts of the text, WFResourceManagementDB dbo
    uls:
      - {t: "10:00:00.00", id: "tkau", level: High, corr: A, msg: "System.Data.SqlClient.SqlException: The EXECUTE permission was denied on the object 'proc_a', database 'WFResourceManagementDB', schema 'dbo'."}
      - {t: "10:00:01.00", id: "5586", level: High, category: Database, corr: A, msg: "The EXECUTE permission was denied on the object 'proc_b', database 'WFResourceManagementDB', schema 'dbo'."}
      - {t: "10:00:03.00", id: "zq1a", level: High, area: Contoso, category: Help Desk, corr: B, msg: "The ticket says: The EXECUTE permission was denied on the object 'proc_c', database 'WFResourceManagementDB', schema 'dbo'."}
      - {t: "10:00:02.00", id: "5586", level: High, category: Database, corr: A, msg: "The EXECUTE permission was denied on the object 'proc_c', database 'WFResourceManagementDB', schema 'dbo'."}
    expect:
      - {verdict: workflow-manager, symptoms: {workflow: 1}, captures: {object: proc_a, database: WFResourceManagementDB, schema: dbo}}
      - {verdict: workflow-manager, symptoms: {workflow: 1}, captures: {object: proc_b, database: WFResourceManagementDB, schema: dbo}}
      - {verdict: workflow-manager, symptoms: {workflow: 1, quoted: 1}, captures: {object: proc_c, database: WFResourceManagementDB, schema: dbo}}
  - name: the procedure that only Workflow Manager has, in each form
    uls:
      - {t: "10:00:00.00", id: "tkau", level: High, corr: A, msg: "System.Data.SqlClient.SqlException: The EXECUTE permission was denied on the object 'InsertTrackingAndStatus'."}
      - {t: "10:00:01.00", id: "5586", level: High, category: Database, corr: A, msg: "The SELECT permission was denied on the object 'InsertTrackingAndStatus'."}
    expect:
      - {verdict: workflow-manager, symptoms: {workflow: 1}, captures: {permission: EXECUTE, object: InsertTrackingAndStatus}}
      - {verdict: workflow-manager, symptoms: {workflow: 1}, captures: {permission: SELECT, object: InsertTrackingAndStatus}}
  - name: objects of the same name that several have
    uls:
      - {t: "10:00:00.00", id: "5586", level: High, category: Database, corr: A, msg: "The EXECUTE permission was denied on the object 'proc_a', database 'DB', schema 'mssqlrbs'."}
      - {t: "10:00:00.10", id: "5586", level: High, category: Database, corr: A, msg: "The EXECUTE permission was denied on the object 'proc_a', database 'DB', schema 'pjpub'."}
      - {t: "10:00:01.00", id: "5586", level: High, category: Database, corr: A, msg: "The EXECUTE permission was denied on the object 'proc_b', database 'DB', schema 'pjpub'."}
      - {t: "10:00:01.10", id: "5586", level: High, category: Database, corr: A, msg: "The EXECUTE permission was denied on the object 'proc_b', database 'WFManagementDB', schema 'dbo'."}
      - {t: "10:00:02.00", id: "5586", level: High, category: Database, corr: A, msg: "The EXECUTE permission was denied on the object 'proc_c', database 'WFManagementDB', schema 'dbo'."}
      - {t: "10:00:02.10", id: "5586", level: High, category: Database, corr: A, msg: "The EXECUTE permission was denied on the object 'proc_c', database 'DB', schema 'dbo'."}
      - {t: "10:00:03.00", id: "5586", level: High, category: Database, corr: A, msg: "The EXECUTE permission was denied on the object 'proc_a', database 'DB', schema 'dbo'."}
      - {t: "10:00:03.10", id: "5586", level: High, category: Database, corr: A, msg: "The EXECUTE permission was denied on the object 'proc_b', database 'DB', schema 'dbo'."}
    expect:
      - {verdict: remote-blobs, symptoms: {rbs: 1, refused: 1}, captures: {object: proc_a}}
      - {verdict: project-server, symptoms: {project: 1, refused: 1}, captures: {object: proc_b}}
      - {verdict: workflow-manager, symptoms: {workflow: 1, refused: 1}, captures: {object: proc_c}}
  - name: any other object
    uls:
      - {t: "10:00:00.00", id: "tkau", level: High, corr: A, msg: "System.Data.SqlClient.SqlException: The EXECUTE permission was denied on the object 'proc_a', database 'DB', schema 'app'."}
    expect:
      - verdict: permission-denied
        severity: error
        confidence: likely
        symptoms: {refused: 1}
        captures: {permission: EXECUTE, object: proc_a, database: DB, schema: app}
        message: "SQL Server denies EXECUTE on proc_a (schema app, first in database DB)."
  - name: a quote has all parts
    uls:
      - {t: "10:00:00.00", id: "zq1a", level: High, area: Contoso, category: Help Desk, corr: B, msg: "The ticket says: The EXECUTE permission was denied on the object 'proc_a', database 'DB', schema 'app'."}
    expect: [{verdict: permission-quoted, captures: {permission: EXECUTE, object: proc_a, database: DB, schema: app}}]
  - name: NEAR MISS SqlException and the object of an owner, but nothing was denied
    each: {end: ["schema 'mssqlrbs'", "schema 'pjpub'", "database 'WFManagementDB'"]}
    uls:
      - {t: "10:00:00.00", id: "zq1a", level: High, corr: A, msg: "System.Data.SqlClient.SqlException: The time ran out on the object 'proc_a', <end>."}
      - {t: "10:00:01.00", id: "zq1a", level: Medium, corr: A, msg: "System.Data.SqlClient.SqlException: The EXECUTE permission was denied on the object 'proc_a', <end>."}
      - {t: "10:00:02.00", id: "zq1a", level: High, category: Database, corr: A, msg: "The time ran out on the object 'proc_a', <end>."}
      - {t: "10:00:03.00", id: "zq1a", level: Medium, category: Database, corr: A, msg: "The EXECUTE permission was denied on the object 'proc_a', <end>."}
      - {t: "10:00:04.00", id: "zq1a", level: Medium, category: Database, corr: A, msg: "The EXECUTE permission was denied on the object 'proc_b'."}
    expect: []
  - name: NEAR MISS only quotes, or rows below High
    each: {end: ["schema 'mssqlrbs'", "schema 'pjpub'", "database 'WFManagementDB'"]}
    uls:
      - {t: "10:00:00.00", id: "zq1a", level: High, area: Contoso, category: Help Desk, corr: A, msg: "The ticket says: The EXECUTE permission was denied on the object 'proc_a', <end>."}
      - {t: "10:00:01.00", id: "zq1a", level: Medium, category: Database, corr: A, msg: "The EXECUTE permission was denied on the object 'proc_a', <end>."}
      - {t: "10:00:02.00", id: "zq1a", level: High, category: Database, corr: A, msg: "The EXECUTE permission was granted on the object 'proc_b', <end>."}
    expect: [{verdict: permission-quoted, symptoms: {quoted: 1}, captures: {permission: EXECUTE, object: proc_a}}]
  - name: NEAR MISS the object is told below High by its owner's row only
    each: {end: ["schema 'mssqlrbs'", "schema 'pjpub'", "database 'WFManagementDB'"]}
    uls:
      - {t: "10:00:00.00", id: "zq1a", level: High, category: Database, corr: A, msg: "The EXECUTE permission was denied on the object 'proc_a', database 'DB'."}
      - {t: "10:00:01.00", id: "zq1a", level: Medium, category: Database, corr: A, msg: "The EXECUTE permission was denied on the object 'proc_a', <end>."}
    expect: [{verdict: permission-denied, symptoms: {refused: 1}, captures: {permission: EXECUTE, object: proc_a}}]
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

private let FS1050_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1050
tests:
  - name: a query touches too many items, by type and by number
    each: {text: ["Microsoft.SharePoint.SPQueryThrottledException: The attempted operation is prohibited", "The operation failed with -2147024860"]}
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, msg: "<text>"}
    expect:
      - {verdict: threshold, severity: warning, confidence: likely, symptoms: {too_many: 1}}
  - name: a page fails because of too many items, and the generic rule says nothing of it
    each: {text: ["Microsoft.SharePoint.SPQueryThrottledException: x", "The attempted operation is prohibited because it exceeds the list view threshold."]}
    with: [FS1002]
    uls:
      - {t: "10:00:00.00", id: 8nca, corr: A, msg: "Application error when access /lists/a.aspx, Error=<text>"}
      - {t: "10:00:00.01", id: tkau, level: Unexpected, category: Runtime, corr: A, msg: "Microsoft.SharePoint.SPQueryThrottledException: The attempted operation is prohibited because it exceeds the list view threshold. ---> System.Runtime.InteropServices.COMException (0x80070024)"}
    expect: [{verdict: threshold, symptoms: {too_many: 1}}]
  - name: a page of which only 8nca is in the log
    each: {text: ["Microsoft.SharePoint.SPQueryThrottledException: x", "The attempted operation is prohibited because it exceeds the list view threshold."]}
    uls:
      - {t: "10:00:00.00", id: 8nca, corr: A, msg: "Application error when access /lists/a.aspx, Error=<text>"}
    expect: [{verdict: threshold, symptoms: {too_many: 1}}]
  - name: a view has too many lookup columns, by number
    each: {text: ["SPQueryThrottledException ---> COMException (0x80070093)", "SPQueryThrottledException, error -2147024749"]}
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, msg: "<text>"}
    expect: [{verdict: lookups, severity: warning, confidence: likely, symptoms: {lookups: 1}}]
  - name: a page of which only 8nca is in the log, with too many lookup columns
    each: {text: ["SPQueryThrottledException ---> COMException (0x80070093)", "SPQueryThrottledException: It exceeds the lookup column threshold."]}
    uls:
      - {t: "10:00:00.00", id: 8nca, corr: A, msg: "Application error when access /lists/a.aspx, Error=<text>"}
    expect: [{verdict: lookups, symptoms: {lookups: 1}}]
  - name: many requests, each kind
    uls:
      - {t: "10:00:00.00", times: 10, every: 1m, id: zq1a, level: High, corr: "R<n>", msg: "Microsoft.SharePoint.SPQueryThrottledException: x"}
      - {t: "10:00:30.00", times: 10, every: 1m, id: zq1a, level: High, corr: "S<n>", msg: "COMException (0x80070093)"}
    expect: [{verdict: threshold-often, severity: error, confidence: likely, symptoms: {too_many: 10, lookups: 10}}]
  - name: many requests with too many lookup columns
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, msg: "Microsoft.SharePoint.SPQueryThrottledException: x"}
      - {t: "10:00:30.00", times: 10, every: 1m, id: zq1a, level: High, corr: "S<n>", msg: "COMException (0x80070093)"}
    expect: [{verdict: lookups-often, severity: error, confidence: likely, symptoms: {too_many: 1, lookups: 10}}]
  - name: two rows of one request, each kind
    uls:
      - {t: "10:00:00.00", times: 2, every: 1s, id: zq1a, level: High, corr: A, msg: "Microsoft.SharePoint.SPQueryThrottledException: x"}
      - {t: "10:00:30.00", times: 2, every: 1s, id: zq1a, level: High, corr: B, msg: "COMException (0x80070093)"}
    expect: [{verdict: threshold, symptoms: {too_many: 1, lookups: 1}}]
  - name: NEAR MISS nine requests and many rows, each kind
    each: {text: ["SPQueryThrottledException", "COMException (0x80070093)"]}
    uls:
      - {t: "10:00:00.00", times: 9, every: 1s, id: zq1a, level: High, corr: "R<n>", msg: "<text>"}
      - {t: "10:10:00.00", times: 9, every: 1s, id: zq1a, level: High, corr: R1, msg: "<text>"}
    expect: [{severity: warning, count: 9}]
  - name: NEAR MISS other limits, other rows, and below High
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, msg: "COMException (0x80070024): The wrong diskette is in the drive."}
      - {t: "10:00:01.00", id: zq1a, level: Medium, corr: A, msg: "SPQueryThrottledException was handled, exceeds the list view threshold."}
      - {t: "10:00:02.00", id: zq1a, level: Medium, corr: A, msg: "0x80070093 was handled: lookup column threshold."}
      - {t: "10:00:03.00", id: 8nca, corr: A, msg: "Application error when access /lists/a.aspx, Error=Value cannot be null."}
    expect: []
  - name: PASS a query succeeds
    uls:
      - {t: "10:00:00.00", id: fa43, level: High, category: Database, msg: "Slow Query Duration: 1043.7"}
    expect: []
  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1051_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1051
tests:
  - name: a database is newer than the software, and the rest
    uls:
      - {t: "10:00:00.00", id: ajyxu, level: ERROR, category: Upgrade, process: PSCONFIG.EXE, msg: "VERSION LOG (GET): Upgrade object too new.  Current versions: (build version = 15.0.4931.1000, schema version = 15.0.3.0). Target versions: (build version = 16.0.4700.1000, schema version = 15.0.2.0)."}
      - {t: "10:00:01.00", id: an59t, level: ERROR, category: Upgrade, msg: "Upgrade [SearchAdminDatabase Name=Search_Admin] failed."}
      - {t: "10:00:02.00", id: fbv7, level: DEBUG, category: Upgrade, msg: "Cannot upgrade [Microsoft.ReportingServices.SharePoint.SharedService.ReportingWebServiceApplication]."}
    expect:
      - verdict: too-new
        severity: error
        confidence: likely
        symptoms: {too_new: 1, search_admin: 1, reporting: 1}
        captures: {build: 15.0.4931.1000, current: 15.0.3.0, software: 16.0.4700.1000, target: 15.0.2.0}
        message: "A database or another object is newer than the software of this server can upgrade (schema 15.0.3.0, the software knows 15.0.2.0; object of build 15.0.4931.1000, software of build 16.0.4700.1000)."
  - name: a database is newer, in a row that ends early
    uls:
      - {t: "10:00:00.00", id: ajyxu, level: ERROR, category: Upgrade, msg: "Upgrade object too new.  Current versions: (build version = 16.0.4900.1000, sch…"}
    expect: [{verdict: too-new, captures: {build: 16.0.4900.1000}}]
  - name: the search administration database is not upgraded
    uls:
      - {t: "10:00:01.00", id: an59t, level: ERROR, category: Upgrade, msg: "Upgrade [SearchAdminDatabase Name=Search_Admin] failed."}
      - {t: "10:00:02.00", id: fbv7, level: DEBUG, category: Upgrade, msg: "Cannot upgrade [Microsoft.ReportingServices.SharePoint.SharedService.ReportingWebServiceApplication]."}
    expect: [{verdict: search-administration, severity: error, confidence: likely, symptoms: {search_admin: 1, reporting: 1}}]
  - name: objects of Reporting Services
    uls:
      - {t: "10:00:02.00", id: fbv7, level: DEBUG, category: Upgrade, msg: "Cannot upgrade [Microsoft.ReportingServices.SharePoint.SharedService.ReportingWebServiceApplication]."}
    expect: [{verdict: reporting-services, severity: info, confidence: likely, symptoms: {reporting: 1}}]
  - name: NEAR MISS the events with other texts
    uls:
      - {t: "10:00:00.00", id: ajyxu, level: INFO, category: Upgrade, msg: "VERSION LOG (GET): Current versions: (build version = 16.0.4900.1000, schema version = 16.0.9.0)."}
      - {t: "10:00:01.00", id: an59t, level: ERROR, category: Upgrade, msg: "Upgrade [SPContentDatabase Name=WSS_Content] failed."}
    expect: []
  - name: NEAR MISS another object cannot be upgraded, and Reporting Services in another sentence
    uls:
      - {t: "10:00:02.00", id: fbv7, level: DEBUG, category: Upgrade, msg: "Cannot upgrade [Contoso.Service]."}
      - {t: "10:00:03.00", id: fbv7, level: DEBUG, category: Upgrade, msg: "Looked at [Microsoft.ReportingServices.SharePoint.X]."}
    expect: []
  - name: NEAR MISS the texts in other events
    uls:
      - {t: "10:00:00.00", id: zq1a, level: ERROR, category: Upgrade, msg: "Upgrade object too new. SearchAdminDatabase. Cannot upgrade [Microsoft.ReportingServices.X]."}
    expect: []
  - name: PASS an upgrade ends
    uls:
      - {t: "10:00:00.00", id: zq1a, level: INFO, category: Upgrade, msg: "Upgrade session finished successfully."}
    expect: []
  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1054_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1054
tests:
  - name: an instance of which nothing is heard again
    uls:
      - {t: "10:00:00.00", id: ahk8y, level: Verbose, category: Legacy Workflow Infrastructure, process: OWSTIMER.EXE, corr: A, msg: "In RunWorkflowElev(), begin processing events for instance: 5d0c1b9e-3f52-4a07-9c61-0b7d2a4e8f13"}
      - {t: "10:00:00.40", level: Verbose, category: Legacy Workflow Infrastructure, process: OWSTIMER.EXE, corr: A, msg: "RunWorkflow: Events successfully delivered to Instance: 5d0c1b9e-3f52-4a07-9c61-0b7d2a4e8f13, BaseTemplate: 91a7"}
      - {t: "10:00:00.50", id: ahk8y, level: Verbose, category: Legacy Workflow Infrastructure, process: OWSTIMER.EXE, corr: A, msg: "In RunWorkflowElev(), begin processing events for instance: e2b8c4d6-7a19-4f30-8b52-c9d1e3f50a27"}
      - {t: "10:00:00.60", id: tzkv, level: Verbose, category: Database, process: OWSTIMER.EXE, corr: A, msg: "SqlCommand: 'proc_GetWorkflowAssociations'     CommandType: StoredProcedure CommandTimeout: 0"}
      - {t: "10:10:00.60", id: xmnv, category: Logging Correlation Data, corr: B, msg: "Name=Request (GET:http://portal.contoso.local:80/)"}
    expect:
      - verdict: not-heard-of
        severity: info
        confidence: likely
        symptoms: {silent: 1}
        captures: {instance: e2b8c4d6-7a19-4f30-8b52-c9d1e3f50a27}
        message: "The workflow timer job took up instance e2b8c4d6-7a19-4f30-8b52-c9d1e3f50a27, and for ten minutes no row of its request shows that it went on. If job-workflow stands at Pausing, look at this instance first."

  - name: another run of the job, on another server, went on
    uls:
      - {t: "10:00:00.00", id: ahk8y, level: Verbose, category: Workflow Infrastructure, process: OWSTIMER.EXE, corr: A, msg: "In RunWorkflowElev(), begin processing events for instance: e2b8c4d6-7a19-4f30-8b52-c9d1e3f50a27"}
      - {t: "10:05:00.00", id: ahk8y, level: Verbose, category: Workflow Infrastructure, process: OWSTIMER.EXE, corr: B, msg: "In RunWorkflowElev(), begin processing events for instance: 5d0c1b9e-3f52-4a07-9c61-0b7d2a4e8f13"}
      - {t: "10:05:01.00", level: Verbose, category: Workflow Infrastructure, process: OWSTIMER.EXE, corr: B, msg: "RunWorkflow: Events successfully delivered to Instance: 5d0c1b9e-3f52-4a07-9c61-0b7d2a4e8f13, BaseTemplate: 91a7"}
      - {t: "10:10:00.00", id: xmnv, category: Logging Correlation Data, corr: C, msg: "Name=Request (GET:http://portal.contoso.local:80/)"}
    expect: [{verdict: not-heard-of, captures: {instance: e2b8c4d6-7a19-4f30-8b52-c9d1e3f50a27}}]

  - name: the end comes after ten minutes
    uls:
      - {t: "10:00:00.00", id: ahk8y, level: Verbose, category: Workflow Infrastructure, process: OWSTIMER.EXE, corr: A, msg: "In RunWorkflowElev(), begin processing events for instance: e2b8c4d6-7a19-4f30-8b52-c9d1e3f50a27"}
      - {t: "10:10:00.01", level: Verbose, category: Workflow Infrastructure, process: OWSTIMER.EXE, corr: A, msg: "RunWorkflow: Events successfully delivered to Instance: e2b8c4d6-7a19-4f30-8b52-c9d1e3f50a27, BaseTemplate: 91a7"}
    expect: [{verdict: not-heard-of, symptoms: {silent: 1}}]

  - name: the log ends soon after the only instance
    uls:
      - {t: "10:00:00.00", id: ahk8y, level: Verbose, category: Workflow Infrastructure, process: OWSTIMER.EXE, corr: A, msg: "In RunWorkflowElev(), begin processing events for instance: e2b8c4d6-7a19-4f30-8b52-c9d1e3f50a27"}
      - {t: "10:01:00.00", id: ahk8y, level: Verbose, category: Workflow Infrastructure, process: OWSTIMER.EXE, corr: A, msg: "In RunWorkflowElev(), begin processing events for instance: e2b8c4d6-7a19-4f30-8b52-c9d1e3f50a27"}
    expect:
      - verdict: last-seen
        severity: info
        confidence: possible
        symptoms: {one: 1}
        captures: {instance: e2b8c4d6-7a19-4f30-8b52-c9d1e3f50a27}
        message: "The only workflow instance that the timer job takes up in these rows is e2b8c4d6-7a19-4f30-8b52-c9d1e3f50a27, and none of them shows that it ended. Only if job-workflow stands at Pausing does that mean something: then look at this instance first."

  - name: a paste of the row without time and process
    paste: |
      SharePoint Foundation Legacy Workflow Infrastructure ahk8y Verbose In RunWorkflowElev(), begin processing events for instance: e2b8c4d6-7a19-4f30-8b52-c9d1e3f50a27      3f0a8d71-0d2e-40c3-9a1b-5e6f7a8b9c0d
    expect: [{verdict: last-seen, captures: {instance: e2b8c4d6-7a19-4f30-8b52-c9d1e3f50a27}}]

  - name: PASS each instance ends, and the last one with the log
    each: {area: ["Legacy Workflow Infrastructure", "Workflow Infrastructure"]}
    uls:
      - {t: "10:00:00.00", id: ahk8y, level: Verbose, category: "<area>", process: OWSTIMER.EXE, corr: A, msg: "In RunWorkflowElev(), begin processing events for instance: 5d0c1b9e-3f52-4a07-9c61-0b7d2a4e8f13"}
      - {t: "10:10:00.00", level: Verbose, category: "<area>", process: OWSTIMER.EXE, corr: A, msg: "RunWorkflow: Events successfully delivered to Instance: 5d0c1b9e-3f52-4a07-9c61-0b7d2a4e8f13, BaseTemplate: 91a7"}
      - {t: "10:20:00.00", id: xmnv, category: Logging Correlation Data, corr: C, msg: "Name=Request (GET:http://portal.contoso.local:80/)"}
    expect: []

  - name: PASS the rows of a run without correlation follow each other in one thread
    uls:
      - {t: "10:00:00.00", id: ahk8y, level: Verbose, category: Workflow Infrastructure, process: OWSTIMER.EXE, msg: "In RunWorkflowElev(), begin processing events for instance: 5d0c1b9e-3f52-4a07-9c61-0b7d2a4e8f13"}
      - {t: "10:00:10.00", level: Verbose, category: Workflow Infrastructure, process: OWSTIMER.EXE, msg: "RunWorkflow: Events successfully delivered to Instance: 5d0c1b9e-3f52-4a07-9c61-0b7d2a4e8f13, BaseTemplate: 91a7"}
      - {t: "10:20:00.00", id: xmnv, category: Logging Correlation Data, corr: C, msg: "Name=Request (GET:http://portal.contoso.local:80/)"}
    expect: []

  - name: PASS the job ends, and no instance says so
    each: {scope: ["Leaving Monitored Scope (Timer Job job-workflow). Execution Time=812.5", "Leaving Monitored Scope: (Timer Job job-workflow) Execution Time=812.5; CPU Milliseconds=1; SQL Query Count=0; Parent=None"]}
    uls:
      - {t: "10:00:00.00", id: ahk8y, level: Verbose, category: Workflow Infrastructure, process: OWSTIMER.EXE, corr: A, msg: "In RunWorkflowElev(), begin processing events for instance: 5d0c1b9e-3f52-4a07-9c61-0b7d2a4e8f13"}
      - {t: "10:00:01.00", id: b4ly, category: Monitoring, process: OWSTIMER.EXE, corr: A, msg: "<scope>"}
      - {t: "10:20:00.00", id: xmnv, category: Logging Correlation Data, corr: C, msg: "Name=Request (GET:http://portal.contoso.local:80/)"}
    expect: []

  - name: PASS the instance fails, which another rule tells
    uls:
      - {t: "10:00:00.00", id: ahk8y, level: Verbose, category: Workflow Infrastructure, process: OWSTIMER.EXE, corr: A, msg: "In RunWorkflowElev(), begin processing events for instance: 5d0c1b9e-3f52-4a07-9c61-0b7d2a4e8f13"}
      - {t: "10:00:01.00", id: "72fs", level: Unexpected, category: Workflow Infrastructure, process: OWSTIMER.EXE, corr: A, msg: "RunWorkflow: System.ArgumentException: No value."}
      - {t: "10:20:00.00", id: xmnv, category: Logging Correlation Data, corr: C, msg: "Name=Request (GET:http://portal.contoso.local:80/)"}
    expect: []

  - name: PASS another instance follows, and with it the log ends
    uls:
      - {t: "10:00:00.00", id: ahk8y, level: Verbose, category: Workflow Infrastructure, process: OWSTIMER.EXE, corr: A, msg: "In RunWorkflowElev(), begin processing events for instance: 5d0c1b9e-3f52-4a07-9c61-0b7d2a4e8f13"}
      - {t: "10:09:00.00", id: ahk8y, level: Verbose, category: Workflow Infrastructure, process: OWSTIMER.EXE, corr: A, msg: "In RunWorkflowElev(), begin processing events for instance: e2b8c4d6-7a19-4f30-8b52-c9d1e3f50a27"}
      - {t: "10:18:00.00", id: xmnv, category: Logging Correlation Data, corr: C, msg: "Name=Request (GET:http://portal.contoso.local:80/)"}
    expect: not_evaluated

  - name: NEAR MISS the end of another job, or of a request, is not the end of this one
    uls:
      - {t: "10:00:00.00", id: ahk8y, level: Verbose, category: Workflow Infrastructure, process: OWSTIMER.EXE, corr: A, msg: "In RunWorkflowElev(), begin processing events for instance: 5d0c1b9e-3f52-4a07-9c61-0b7d2a4e8f13"}
      - {t: "10:00:01.00", id: b4ly, category: Monitoring, process: OWSTIMER.EXE, corr: A, msg: "Leaving Monitored Scope (Timer Job job-diskquota). Execution Time=8.5"}
      - {t: "10:00:02.00", id: zq1a, category: Monitoring, process: OWSTIMER.EXE, corr: A, msg: "Leaving Monitored Scope (Timer Job job-workflow). Execution Time=8.5"}
      - {t: "10:00:03.00", level: Verbose, category: Deploy, area: Contoso, process: OWSTIMER.EXE, corr: A, msg: "Events successfully delivered to Instance: 4"}
      - {t: "10:00:04.00", level: Verbose, category: Workflow Infrastructure, process: OWSTIMER.EXE, corr: A, msg: "RunWorkflow: Events are waiting for Instance: 5d0c1b9e-3f52-4a07-9c61-0b7d2a4e8f13"}
      - {t: "10:20:00.00", id: xmnv, category: Logging Correlation Data, corr: C, msg: "Name=Request (GET:http://portal.contoso.local:80/)"}
    expect: [{verdict: not-heard-of, symptoms: {silent: 1}}]

  - name: NEAR MISS what does not end a job, in a log that ends soon
    uls:
      - {t: "10:00:00.00", id: ahk8y, level: Verbose, category: Workflow Infrastructure, process: OWSTIMER.EXE, corr: A, msg: "In RunWorkflowElev(), begin processing events for instance: 5d0c1b9e-3f52-4a07-9c61-0b7d2a4e8f13"}
      - {t: "10:00:01.00", id: b4ly, category: Monitoring, process: OWSTIMER.EXE, corr: A, msg: "Leaving Monitored Scope (Timer Job job-diskquota). Execution Time=8.5"}
      - {t: "10:00:02.00", id: zq1a, category: Monitoring, process: OWSTIMER.EXE, corr: A, msg: "Leaving Monitored Scope (Timer Job job-workflow). Execution Time=8.5"}
      - {t: "10:00:03.00", level: Verbose, category: Deploy, area: Contoso, process: OWSTIMER.EXE, corr: A, msg: "Events successfully delivered to Instance: 4"}
      - {t: "10:00:04.00", level: Verbose, category: Workflow Infrastructure, process: OWSTIMER.EXE, corr: A, msg: "RunWorkflow: Events are waiting for Instance: 5d0c1b9e-3f52-4a07-9c61-0b7d2a4e8f13"}
    expect: [{verdict: last-seen, symptoms: {one: 1}}]

  - name: NEAR MISS a workflow that a user starts in a page
    uls:
      - {t: "10:00:00.00", id: ahk8y, level: Verbose, category: Workflow Infrastructure, process: w3wp.exe, corr: A, msg: "In RunWorkflowElev(), begin processing events for instance: 5d0c1b9e-3f52-4a07-9c61-0b7d2a4e8f13"}
      - {t: "10:20:00.00", id: xmnv, category: Logging Correlation Data, corr: C, msg: "Name=Request (GET:http://portal.contoso.local:80/)"}
    expect: []

  - name: NEAR MISS the text under another ID, and the query of associations that every list makes
    uls:
      - {t: "10:00:00.00", id: zq1a, level: Verbose, category: Workflow Infrastructure, process: OWSTIMER.EXE, corr: A, msg: "In RunWorkflowElev(), begin processing events for instance: 5d0c1b9e-3f52-4a07-9c61-0b7d2a4e8f13"}
      - {t: "10:00:01.00", id: tzkv, level: Verbose, category: Database, process: OWSTIMER.EXE, corr: A, msg: "SqlCommand: 'proc_GetWorkflowAssociations'     CommandType: StoredProcedure CommandTimeout: 0"}
      - {t: "10:20:00.00", id: xmnv, category: Logging Correlation Data, corr: C, msg: "Name=Request (GET:http://portal.contoso.local:80/)"}
    expect: []

  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1056_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1056
tests:
  - name: a job failed once
    uls:
      - {t: "10:00:00.00", id: "6398", level: Critical, category: Timer, process: OWSTIMER.EXE, corr: A, msg: "The Execute method of job definition Contoso.Jobs.NightlyReport (ID 0a1b2c3d-0000-4a4a-8b8b-1234567890ab) threw an exception. More information is included below.  The report server is not there."}
    expect:
      - verdict: job-failed
        severity: warning
        confidence: likely
        symptoms: {failed: 1}
        captures: {job: Contoso.Jobs.NightlyReport}
        message: "Timer job Contoso.Jobs.NightlyReport ended with an exception (The report server is not there.)."
  - name: the event in another language
    uls:
      - {t: "10:00:00.00", id: "6398", level: Critical, category: Timer, corr: A, msg: "Die Execute-Methode der Auftragsdefinition Contoso.Jobs.NightlyReport hat eine Ausnahme ausgelöst."}
    expect: [{verdict: job-failed, message: "Timer job (not named) ended with an exception (see the evidence)."}]
  - name: the message of a job alone, with one blank
    paste: |
      The Execute method of job definition Contoso.Jobs.NightlyReport (ID 0a1b2c3d-0000-4a4a-8b8b-1234567890ab) threw an exception. More information is included below. The report server is not there.
    expect:
      - {verdict: job-failed, symptoms: {failed: 1}, captures: {job: Contoso.Jobs.NightlyReport}, message: "Timer job Contoso.Jobs.NightlyReport ended with an exception (The report server is not there.)."}
  - name: the name in quotes, without a number
    paste: |
      The Execute method of job definition "ContosoReport" threw an exception. The report server is not there.
    expect: [{verdict: job-failed, captures: {job: ContosoReport}}]
  - name: the event with another number
    uls:
      - {t: "10:00:00.00", id: zq1a, level: Medium, category: Timer, msg: "The Execute method of job definition Contoso.Jobs.NightlyReport (ID 0a) threw an exception. More information is included below. x"}
    expect: [{verdict: job-failed}]
  - name: NEAR MISS parts of these words, and milder rows
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, category: Timer, msg: "The Execute method of job definition Contoso.Jobs.NightlyReport (ID 0a) was called."}
      - {t: "10:00:01.00", id: zq1a, level: High, category: Timer, msg: "A receiver of Contoso threw an exception."}
      - {t: "10:00:02.00", id: zq1a, level: Verbose, category: Timer, msg: "The Execute method of job definition Contoso.Jobs.NightlyReport (ID 0a) threw an exception."}
    expect: []
  - name: jobs fail again and again, and the service too
    uls:
      - {t: "10:00:00.00", times: 10, every: 6m, id: "6398", level: Critical, category: Timer, corr: "R<n>", msg: "The Execute method of job definition Contoso.Jobs.Report<n> (ID 0a) threw an exception. More information is included below.  x"}
      - {t: "10:00:01.00", id: ca2m, level: Unexpected, category: Timer, msg: "An internal error occurred while running a timer job: Thread was being aborted."}
      - {t: "10:00:02.00", id: ca2m, level: Unexpected, category: Timer, msg: "An internal error occurred while running a timer job: x at Microsoft.SharePoint.Administration.SPTimerJobUsageMonitoredScope.OnDisposing()"}
    expect: [{verdict: jobs-fail-often, severity: error, confidence: likely, symptoms: {failed: 10, internal: 1, counter: 1}, count: 10}]
  - name: one job fails twice, and the service too
    uls:
      - {t: "10:00:00.00", times: 2, every: 6m, id: "6398", level: Critical, category: Timer, corr: "R<n>", msg: "The Execute method of job definition Contoso.Jobs.Report (ID 0a) threw an exception. More information is included below.  x"}
      - {t: "10:00:01.00", id: ca2m, level: Unexpected, category: Timer, msg: "An internal error occurred while running a timer job: Thread was being aborted."}
      - {t: "10:00:02.00", id: ca2m, level: Unexpected, category: Timer, msg: "An internal error occurred while running a timer job: x at Microsoft.SharePoint.Administration.SPTimerJobUsageMonitoredScope.OnDisposing()"}
    expect: [{verdict: job-failed, symptoms: {failed: 2, internal: 1, counter: 1}}]
  - name: the timer service fails around a job
    uls:
      - {t: "10:00:01.00", id: ca2m, level: Unexpected, category: Timer, msg: "An internal error occurred while running a timer job: Thread was being aborted."}
      - {t: "10:00:02.00", id: ca2m, level: Unexpected, category: Timer, msg: "An internal error occurred while running a timer job: x at Microsoft.SharePoint.Administration.SPTimerJobUsageMonitoredScope.OnDisposing()"}
    expect: [{verdict: internal-error, severity: warning, confidence: likely, symptoms: {internal: 1, counter: 1}}]
  - name: only statistics are not written
    uls:
      - {t: "10:00:02.00", id: ca2m, level: Unexpected, category: Timer, msg: "Ein interner Fehler.    bei Microsoft.SharePoint.Administration.SPTimerJobUsageMonitoredScope.OnDisposing()"}
    expect: [{verdict: statistics-only, severity: info, confidence: likely, symptoms: {counter: 1}}]
  - name: NEAR MISS nine failures in an hour, and twelve in a day
    uls:
      - {t: "01:00:00.00", times: 9, every: 1m, id: "6398", level: Critical, category: Timer, msg: "The Execute method of job definition A (ID 0a) threw an exception. More information is included below. x"}
      - {t: "03:00:00.00", times: 12, every: 20m, id: "6398", level: Critical, category: Timer, msg: "The Execute method of job definition A (ID 0a) threw an exception. More information is included below. x"}
    expect: [{verdict: job-failed, severity: warning, count: 21}]
  - name: NEAR MISS a job cannot be loaded, and the row that follows
    uls:
      - {t: "10:00:00.00", id: "6396", level: Critical, category: Timer, msg: "There was an exception loading job definition A (ID 0a). More information is included below. SPTimerJobUsageMonitoredScope.OnDisposing("}
      - {t: "10:00:01.00", id: "6772", level: Critical, category: Timer, msg: "There was an internal error invoking the timer job '{0A1B}' for service '{0A1C}'."}
    expect: []
  - name: NEAR MISS a page fails in the class of a job
    uls:
      - {t: "10:00:00.00", id: tkau, level: Unexpected, category: Runtime, msg: "System.NullReferenceException at Contoso.Jobs.NightlyReport.Execute(Guid targetInstanceId)"}
    expect: []
  - name: PASS a job runs
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, process: OWSTIMER.EXE, msg: "Name=Timer Job job-immediate-alerts"}
    expect: []
  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1057_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1057
tests:
  - name: the HOSTS file cannot be written, in both events
    each: {id: ["6482", "7076"]}
    uls:
      - {t: "10:00:00.00", id: "<id>", level: Critical, category: Office Server Shared Services, process: OWSTIMER.EXE, msg: "Application Server Administration job failed for service instance Microsoft.Office.Server.Search.Administration.SearchServiceInstance (0a1b).  Reason: Access to the path 'C:\\Windows\\system32\\drivers\\etc\\HOSTS' is denied."}
    expect: [{verdict: hosts-denied, severity: warning, confidence: likely, symptoms: {hosts: 1}}]
  - name: there is not enough storage, in both events and forms
    each:
      id: ["6482", "7076"]
      text: ["Not enough storage is available to process this command.", "COMException (0x80070008)"]
    uls:
      - {t: "10:00:00.00", id: "<id>", level: Critical, msg: "An exception occurred while executing the Application Server Administration job.  Message: <text>"}
    expect: [{verdict: storage, severity: warning, confidence: likely, symptoms: {storage: 1}}]
  - name: the crawler is shutting down, in both events and forms
    each:
      id: ["6482", "7076"]
      text: ["The gatherer is shutting down.", "COMException (0x80040D23)"]
    uls:
      - {t: "10:00:00.00", id: "<id>", level: Critical, msg: "Reason: <text>"}
    expect: [{verdict: crawler-shutting-down, severity: warning, confidence: likely, symptoms: {gatherer: 1}}]
  - name: another reason, in both events
    each: {id: ["6482", "7076"]}
    uls:
      - {t: "10:00:00.00", id: "<id>", level: Critical, msg: "Application Server Administration job failed for service instance Contoso.Service (0a1b).  Reason: Access is denied."}
    expect: [{verdict: other, severity: warning, confidence: likely, symptoms: {other: 1}, captures: {instance: Contoso.Service}, message: "Settings of Contoso.Service were not applied to this server; the first row of the evidence says why."}]
  - name: all kinds, the HOSTS file first
    uls:
      - {t: "10:00:00.00", id: "6482", level: Critical, msg: "Access to the path 'C:\\Windows\\system32\\drivers\\etc\\HOSTS' is denied."}
      - {t: "10:01:00.00", id: "6482", level: Critical, msg: "0x80070008"}
      - {t: "10:02:00.00", id: "6482", level: Critical, msg: "0x80040D23"}
      - {t: "10:03:00.00", id: "6482", level: Critical, msg: "x"}
    expect: [{verdict: hosts-denied, symptoms: {hosts: 1, storage: 1, gatherer: 1, other: 1}}]
  - name: storage before the crawler
    uls:
      - {t: "10:01:00.00", id: "6482", level: Critical, msg: "0x80070008"}
      - {t: "10:02:00.00", id: "6482", level: Critical, msg: "0x80040D23"}
      - {t: "10:03:00.00", id: "6482", level: Critical, msg: "x"}
    expect: [{verdict: storage, symptoms: {storage: 1, gatherer: 1, other: 1}}]
  - name: the crawler before the rest
    uls:
      - {t: "10:02:00.00", id: "6482", level: Critical, msg: "0x80040D23"}
      - {t: "10:03:00.00", id: "6482", level: Critical, msg: "x"}
    expect: [{verdict: crawler-shutting-down, symptoms: {gatherer: 1, other: 1}}]
  - name: NEAR MISS the same errors in rows of other events
    each: {text: ["C:\\Windows\\system32\\drivers\\etc\\HOSTS", "0x80070008 Not enough storage is available", "0x80040D23 The gatherer is shutting down", "x"]}
    uls:
      - {t: "10:00:00.00", id: zq1a, level: Critical, msg: "Reason: <text>"}
    expect: []
  - name: NEAR MISS another timer job fails
    uls:
      - {t: "10:00:00.00", id: "6398", level: Critical, msg: "The Execute method of job definition A (ID 0a) threw an exception. Not enough storage is available to process this command."}
    expect: []
  - name: NEAR MISS the crawler stops
    uls:
      - {t: "10:00:00.00", id: zq1a, level: Medium, category: Gatherer, msg: "The gatherer is shutting down (0x80040d23)"}
    expect: []
  - name: NEAR MISS a program reads the HOSTS file
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, msg: "Read C:\\Windows\\system32\\drivers\\etc\\HOSTS"}
    expect: []
  - name: PASS the job runs
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, process: OWSTIMER.EXE, msg: "Name=Timer Job job-application-server-admin-service"}
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
        message: "A call of the Distributed Cache failed for DistributedLogonTokenCache (ERRCA0017). Its text calls that temporary, whatever the cause; it lasts, for instance, if a host is stopped or if client and cluster disagree on security."
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
        message: "SharePoint found no running cache host in the farm, which is usual only while servers start."
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
    expect: [{verdict: cluster-down, severity: error, confidence: likely, symptoms: {unavailable: 10}, message: "Calls of the Distributed Cache fail for SPViewStateCache (ERRCA0017, again and again). Mostly a host is stopped, busy or behind a firewall, or client and cluster disagree on security."}]
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
  - name: the cache runs on no server of the farm
    uls:
      - {t: "10:00:00.00", id: a4kcq, level: Unexpected, category: DistributedCache, msg: "SPDistributedCachePointerWrapper::InitializeDataCacheFactory - No cache hosts are present or running in the farm."}
    farm: '{"schema": "fastctl.farm/1", "servers": [{"name": "WFE1", "services": [{"type": "SPDistributedCacheServiceInstance", "status": "Disabled"}]}]}'
    expect:
      - {verdict: not-running, severity: error, confidence: certain, symptoms: {no_hosts: 1}, undecided: []}
  - name: the cache runs on no server of the farm, and the cluster does not answer
    uls:
      - {t: "10:00:00.00", id: ah24w, level: Unexpected, category: DistributedCache, corr: A, msg: "Unexpected Exception in SPDistributedCachePointerWrapper::InitializeDataCacheFactory for usage 'DistributedLogonTokenCache' - Exception 'Microsoft.SharePoint.Internal.Caching.DataCacheException: ErrorCode<ERRCA0017>:SubStatus<ES0006>:There is a temporary failure. Please retry later.'"}
      - {t: "10:00:01.00", id: ah24q, level: Unexpected, category: DistributedCache, corr: A, msg: "Unexpected error occurred in method 'GetObject' , usage 'Distributed Logon Token Cache' - Exception 'Microsoft.ApplicationServer.Caching.DataCacheException: ErrorCode<ERRCA0018>:SubStatus<ES0001>:The request timed out.'"}
    farm: '{"schema": "fastctl.farm/1", "servers": [{"name": "WFE1", "services": []}]}'
    expect:
      - {verdict: not-running, symptoms: {unavailable: 1, slow: 1}}
  - name: the cache runs on no server of the farm, and nobody can use it again and again
    uls:
      - {t: "10:00:00.00", times: 3, every: 1m, id: a4kcq, level: Unexpected, category: DistributedCache, msg: "SPDistributedCachePointerWrapper::InitializeDataCacheFactory - No cache hosts are present or running in the farm."}
    farm: '{"schema": "fastctl.farm/1", "servers": [{"name": "WFE1", "services": []}]}'
    expect:
      - {verdict: not-running, symptoms: {no_hosts: 3}}
  - name: NEAR MISS the cache runs on a server of the farm
    uls:
      - {t: "10:00:00.00", id: a4kcq, level: Unexpected, category: DistributedCache, msg: "SPDistributedCachePointerWrapper::InitializeDataCacheFactory - No cache hosts are present or running in the farm."}
    farm: '{"schema": "fastctl.farm/1", "servers": [{"name": "WFE1", "services": [{"type": "Microsoft.SharePoint.DistributedCaching.Utilities.SPDistributedCacheServiceInstance", "status": "Online"}]}]}'
    expect:
      - {verdict: no-cache-hosts-once, undecided: []}
  - name: NEAR MISS the cache runs nowhere, and only a request of another farm's cache is slow
    uls:
      - {t: "10:00:01.00", id: ah24q, level: Unexpected, category: DistributedCache, corr: A, msg: "Unexpected error occurred in method 'GetObject' , usage 'Distributed Logon Token Cache' - Exception 'Microsoft.ApplicationServer.Caching.DataCacheException: ErrorCode<ERRCA0018>:SubStatus<ES0001>:The request timed out.'"}
    farm: '{"schema": "fastctl.farm/1", "servers": [{"name": "WFE1", "services": []}]}'
    expect:
      - {verdict: some-time-outs}
  - name: PASS a host is up
    uls:
      - {t: "10:00:00.00", id: "agyfw", category: DistributedCache, msg: "cache host Name: 'CACHE01' Running status 'True'"}
    expect: []
  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1059_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1059
tests:
  - name: many objects are not given back, each sentence
    each: {text: ["An SPRequest object was not disposed before the end of this thread.", "An SPRequest object was reclaimed by the garbage collector instead of being explicitly freed."]}
    uls:
      - {t: "10:00:00.00", times: 50, every: 1m, id: zq1a, level: High, category: General, corr: "R<n>", msg: "<text> Allocation Id: {0A1B2C3D-0000-4A4A-8B8B-1234567890AB}"}
    expect: [{verdict: leak, severity: warning, confidence: likely, symptoms: {not_disposed: 50}}]
  - name: a thread holds many objects
    uls:
      - {t: "10:00:00.00", times: 10, every: 5m, id: zq1a, level: High, category: General, corr: "R<n>", msg: "Potentially excessive number of SPRequest objects (30) currently unreleased on thread 16."}
      - {t: "10:00:01.00", id: zq1a, level: High, category: General, msg: "An SPRequest object was not disposed before the end of this thread."}
      - {t: "10:00:02.00", id: zq1a, level: High, category: General, msg: "Detected use of SPRequest for previously closed SPWeb object."}
    expect: [{verdict: leak, symptoms: {excessive: 10, not_disposed: 1, closed: 1}}]
  - name: some rows of each kind
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, category: General, msg: "Potentially excessive number of SPRequest objects (9) currently unreleased on thread 16."}
      - {t: "10:00:01.00", id: zq1a, level: High, category: General, msg: "An SPRequest object was not disposed before the end of this thread."}
      - {t: "10:00:02.00", id: zq1a, level: High, category: General, msg: "Detected use of SPRequest for previously closed SPWeb object."}
    expect: [{verdict: some-objects, severity: info, confidence: likely, symptoms: {excessive: 1, not_disposed: 1, closed: 1}}]
  - name: one row, each kind
    each: {text: ["Potentially excessive number of SPRequest objects (9)", "An SPRequest object was not disposed before the end of this thread.", "Detected use of SPRequest for previously closed SPWeb object."]}
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, category: General, msg: "<text>"}
    expect: [{verdict: some-objects, count: 1}]
  - name: NEAR MISS 49 objects in an hour, and 60 in a day
    uls:
      - {t: "01:00:00.00", times: 49, every: 1s, id: zq1a, level: High, category: General, msg: "An SPRequest object was not disposed before the end of this thread."}
      - {t: "06:00:00.00", times: 60, every: 5m, id: zq1a, level: High, category: General, msg: "An SPRequest object was not disposed before the end of this thread."}
    expect: [{verdict: some-objects, severity: info}]
  - name: NEAR MISS nine threads in an hour, and twelve in a day
    uls:
      - {t: "01:00:00.00", times: 9, every: 1m, id: zq1a, level: High, category: General, msg: "Potentially excessive number of SPRequest objects (9)"}
      - {t: "06:00:00.00", times: 12, every: 20m, id: zq1a, level: High, category: General, msg: "Potentially excessive number of SPRequest objects (9)"}
    expect: [{verdict: some-objects, severity: info}]
  - name: NEAR MISS each sentence below High, and another about SPRequest
    uls:
      - {t: "10:00:00.00", id: zq1a, level: Medium, category: General, msg: "Potentially excessive number of SPRequest objects (9)"}
      - {t: "10:00:01.00", id: zq1a, level: Medium, category: General, msg: "An SPRequest object was not disposed before the end of this thread."}
      - {t: "10:00:02.00", id: zq1a, level: Medium, category: General, msg: "Detected use of SPRequest for previously closed SPWeb object."}
      - {t: "10:00:03.00", id: zq1a, level: High, category: General, msg: "Unknown SPRequest error occurred. More information: 0x80070005"}
    expect: []
  - name: PASS an object is given back
    uls:
      - {t: "10:00:00.00", id: zq1a, category: General, msg: "Request was disposed."}
    expect: []
  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1060_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1060
tests:
  - name: access is denied, and the disk is full
    uls:
      - {t: "10:00:00.00", id: adr4q, level: Unexpected, category: Unified Logging Service, process: wsstracing.exe, msg: "Trace Service encountered an unexpected exception when processing usage event. Detail exception message: Create store file error.. Win32 error code=5."}
      - {t: "10:00:01.00", id: adr4q, level: Unexpected, category: Unified Logging Service, process: wsstracing.exe, msg: "Write error. Win32 error code=112."}
    expect: [{verdict: access-denied, severity: warning, confidence: likely, symptoms: {denied: 1, full: 1, failed: 2}}]
  - name: the disk is full
    uls:
      - {t: "10:00:01.00", id: adr4q, level: Unexpected, category: Unified Logging Service, process: wsstracing.exe, msg: "Write error. Win32 error code=112"}
    expect: [{verdict: disk-full, severity: warning, confidence: likely, symptoms: {full: 1, failed: 1}}]
  - name: another error
    uls:
      - {t: "10:00:01.00", id: adr4q, level: Unexpected, category: Unified Logging Service, process: wsstracing.exe, msg: "Create store file error.. Win32 error code=53."}
    expect: [{verdict: not-written, severity: warning, confidence: likely, symptoms: {failed: 1}, captures: {code: "53"}, message: "The tracing service cannot write usage data (Windows error 53)."}]
  - name: a record field by field
    paste: |
      Process: wsstracing.exe
      Product: SharePoint Foundation
      Category: Unified Logging Service
      EventID: adr4q
      Level: Unexpected
      Message: Trace Service encountered an unexpected exception when processing usage event. Detail exception message: Create store file error.. Win32 error code=5.
    expect: [{verdict: access-denied}]
  - name: NEAR MISS a log cannot be deleted
    uls:
      - {t: "10:00:00.00", id: b9ws, level: High, category: Unified Logging Service, msg: "Trace Management Service unable to delete file 'D:\\a.log': Error 00000005 Win32 error code=5."}
    expect: []
  - name: NEAR MISS a number that begins with another
    uls:
      - {t: "10:00:00.00", id: adr4q, level: Unexpected, category: Unified Logging Service, msg: "Win32 error code=1125."}
    expect: [{verdict: not-written}]
  - name: NEAR MISS the code in a row of another event
    uls:
      - {t: "10:00:00.00", id: zq1a, level: Unexpected, category: Contoso, msg: "Win32 error code=112."}
    expect: []
  - name: PASS usage data are written
    uls:
      - {t: "10:00:00.00", id: zq1a, category: Unified Logging Service, msg: "Usage file was created."}
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
        message: "Another process holds STSSOAP.DLL of intranet80, so that access to it fails. Mostly a service could not be provisioned, and a virus scanner or IIS holds the file."
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

private let FS1065_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1065
tests:
  - name: access is denied, in words and by number
    each: {text: ["Access to the path 'D:\\BlobCache\\14\\988970710' is denied.", "Zugriff verweigert (0x80070005)"]}
    uls:
      - {t: "10:00:00.00", id: "5538", level: Critical, category: Publishing Cache, msg: "An error occured in the blob cache.  The exception message was '<text>'."}
    expect: [{verdict: folder-denied, severity: warning, confidence: likely, symptoms: {denied: 1}}]
  - name: access to a folder that is named, and the rest
    uls:
      - {t: "10:00:00.00", id: "5538", level: Critical, category: Publishing Cache, msg: "The exception message was 'Access to the path 'D:\\BlobCache' is denied.'."}
      - {t: "10:00:01.00", id: "5538", level: Critical, category: Publishing Cache, msg: "The exception message was 'There is not enough space on the disk.'."}
      - {t: "10:00:02.00", id: "5538", level: Critical, category: Publishing Cache, msg: "The exception message was '(0x80070002)'."}
      - {t: "10:00:03.00", id: "5538", level: Critical, category: Publishing Cache, msg: "The exception message was 'x'."}
    expect: [{verdict: folder-denied, symptoms: {denied: 1, full: 1, missing: 1, other: 1}, captures: {path: 'D:\BlobCache'}, message: "The BLOB cache was denied access to D:\\BlobCache. Mostly the account of the application pool has no right to change its folder."}]
  - name: the disk is full, in words and by number, and the rest
    each: {text: ["There is not enough space on the disk.", "Voll (0x80070070)"]}
    uls:
      - {t: "10:00:01.00", id: "5538", level: Critical, category: Publishing Cache, msg: "The exception message was '<text>'."}
      - {t: "10:00:02.00", id: "5538", level: Critical, category: Publishing Cache, msg: "The exception message was '(0x80070002)'."}
      - {t: "10:00:03.00", id: "5538", level: Critical, category: Publishing Cache, msg: "The exception message was 'x'."}
    expect: [{verdict: disk-full, severity: warning, confidence: likely, symptoms: {full: 1, missing: 1, other: 1}}]
  - name: a file is not found, and the rest
    uls:
      - {t: "10:00:02.00", id: "5538", level: Critical, category: Publishing Cache, msg: "The exception message was 'The system cannot find the file specified. (Exception from HRESULT: 0x80070002)'."}
      - {t: "10:00:03.00", id: "5538", level: Critical, category: Publishing Cache, msg: "The exception message was 'x'."}
    expect: [{verdict: file-not-found, severity: warning, confidence: possible, symptoms: {missing: 1, other: 1}}]
  - name: another reason
    uls:
      - {t: "10:00:03.00", id: "5538", level: Critical, category: Publishing Cache, msg: "The exception message was 'x'."}
    expect: [{verdict: other, severity: warning, confidence: likely, symptoms: {other: 1}}]
  - name: NEAR MISS the reasons in another event
    each: {text: ["Access to the path 'D:\\BlobCache' is denied. 0x80070005", "not enough space 0x80070070", "0x80070002", "x"]}
    uls:
      - {t: "10:00:00.00", id: "5539", level: Critical, category: Publishing Cache, msg: "The exception message was '<text>'."}
    expect: []
  - name: NEAR MISS the object cache fails
    uls:
      - {t: "10:00:00.00", id: "7362", level: Warning, category: Publishing Cache, msg: "Object Cache: The super user account utilized by the cache is not configured."}
    expect: []
  - name: NEAR MISS a disk is full elsewhere
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, msg: "System.IO.IOException: There is not enough space on the disk."}
    expect: []
  - name: NEAR MISS a file of a site is not found elsewhere
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, msg: "System.IO.FileNotFoundException: (0x80070002)"}
    expect: []
  - name: PASS a file is kept
    uls:
      - {t: "10:00:00.00", id: zq1a, category: Publishing Cache, msg: "Blob cache was filled."}
    expect: []
  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1066_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1066
tests:
  - name: access is denied, in each form
    each: {text: ["(0x80041205)", "(0x80070005)", "Access is denied."]}
    uls:
      - {t: "10:00:00.00", id: zq1a, level: Medium, area: SharePoint Server Search, category: "Crawler:Gatherer Plugin", process: mssearch.exe, msg: "The start address https://portal.contoso.com cannot be crawled.  Context: Application 'Search', Catalog 'Portal_Content'  Details:  Der Zugriff wurde verweigert. <text>"}
    expect:
      - verdict: access-denied
        severity: error
        confidence: likely
        symptoms: {denied: 1}
        captures: {address: "https://portal.contoso.com"}
        message: "Start address https://portal.contoso.com is not crawled: access is denied. Mostly the crawler's account may not read the site, or Windows refuses the loop back to the same server."
  - name: two addresses, one of which also fails otherwise
    uls:
      - {t: "10:00:00.00", id: "2436", level: Warning, area: Windows SharePoint Services Search, category: Gatherer, msg: "The start address <sts3://portal.contoso.com/contentdbid={0a1b}> cannot be crawled.  Context: Application 'Search', Catalog 'Search'  Details:  Access is denied."}
      - {t: "10:00:01.00", id: "2436", level: Warning, area: Windows SharePoint Services Search, category: Gatherer, msg: "The start address <sts3://portal.contoso.com/contentdbid={0a1b}> cannot be crawled.  Context: Application 'Search', Catalog 'Search'  Details: The object was not found."}
      - {t: "10:00:02.00", id: "2436", level: Warning, area: Windows SharePoint Services Search, category: Gatherer, msg: "The start address sts3://hr.contoso.com cannot be crawled.  Context: Application 'Search', Catalog 'Search'  Details: The object was not found. (0x80041201)"}
    expect:
      - {verdict: access-denied, symptoms: {denied: 1, other: 1}, captures: {address: "sts3://portal.contoso.com/contentdbid={0a1b}"}}
      - {verdict: not-crawled, severity: warning, confidence: likely, symptoms: {other: 1}, captures: {address: "sts3://hr.contoso.com"}, message: "Start address sts3://hr.contoso.com was not crawled at that time (The object was not found. (0x80041201))."}
  - name: no protocol handler, in each form
    each: {text: ["x (0x80040d1a)", "x (0x80040D37)", "The protocol handler cannot be found. Check that the handler has been installed."]}
    uls:
      - {t: "10:00:00.00", id: cd11, level: Warning, area: SharePoint Server Search, category: "Crawler:Gatherer Plugin", process: mssearch.exe, msg: "The start address http://portal.contoso.com:3313  cannot be crawled.  Context: Application 'Search', Catalog 'Portal_Content'  Details:  <text>"}
    expect:
      - verdict: no-handler
        severity: error
        confidence: likely
        symptoms: {handler: 1}
        captures: {address: "http://portal.contoso.com:3313"}
        message: "Start address http://portal.contoso.com:3313 is not crawled: on the server that crawls, search has no protocol handler for such an address, or could not load it."
  - name: no protocol handler, and what else happened to the address
    uls:
      - {t: "10:00:00.00", id: cd11, level: Warning, category: Gatherer, msg: "The start address <sts3://portal.contoso.com> cannot be crawled.  Details: (0x80040D1A)"}
      - {t: "10:00:01.00", id: cd11, level: Warning, category: Gatherer, msg: "The start address <sts3://portal.contoso.com> cannot be crawled.  Details: The object was not found."}
      - {t: "10:00:02.00", id: cd11, level: Warning, category: Gatherer, msg: "The start address <sts3://hr.contoso.com> cannot be crawled.  Details: (0x80040D1A)"}
      - {t: "10:00:03.00", id: cd11, level: Warning, category: Gatherer, msg: "The start address <sts3://hr.contoso.com> cannot be crawled.  Details: Access is denied."}
    expect:
      - {verdict: no-handler, symptoms: {handler: 1, other: 1}, captures: {address: "sts3://portal.contoso.com"}}
      - {verdict: access-denied, symptoms: {denied: 1, handler: 1}, captures: {address: "sts3://hr.contoso.com"}}
  - name: two spaces after the address, as SharePoint 2013 writes it
    uls:
      - {t: "10:00:00.00", id: cd11, level: Warning, category: "Crawler:Gatherer Plugin", msg: "The start address http://one.contoso.com  cannot be crawled.  Details:  Access is denied. (0x80041205)"}
      - {t: "10:00:01.00", id: cd11, level: Warning, category: "Crawler:Gatherer Plugin", msg: "The start address http://two.contoso.com  cannot be crawled.  Details:  The object was not found."}
    expect:
      - {verdict: access-denied, captures: {address: "http://one.contoso.com"}}
      - {verdict: not-crawled, captures: {address: "http://two.contoso.com"}}
  - name: no protocol handler, one space after the address
    uls:
      - {t: "10:00:00.00", id: cd11, level: Warning, category: Gatherer, msg: "The start address http://one.contoso.com cannot be crawled.  Details: (0x80040D1A)"}
    expect: [{verdict: no-handler, captures: {address: "http://one.contoso.com"}}]
  - name: NEAR MISS access is denied, and the row speaks of a handler
    each: {text: ["(0x80041205)", "(0x80070005)", "Access is denied."]}
    uls:
      - {t: "10:00:00.00", id: zq1a, level: Medium, category: "Crawler:Gatherer Plugin", msg: "The start address https://portal.contoso.com cannot be crawled. 0x80040D1A <text>"}
    expect: [{verdict: access-denied, symptoms: {denied: 1}}]
  - name: NEAR MISS no handler for an item, and in the row of another part of search
    uls:
      - {t: "10:00:00.00", id: zq1a, level: Medium, category: "Crawler:Gatherer Plugin", msg: "The item notes://a cannot be crawled. (0x80040D1A)"}
      - {t: "10:00:01.00", id: zq1a, level: Medium, category: "Crawler:Content Plugin", msg: "The start address notes://a cannot be crawled. (0x80040D1A)"}
    expect: []
  - name: NEAR MISS one item cannot be crawled
    uls:
      - {t: "10:00:00.00", id: zq1a, level: Medium, category: "Crawler:Gatherer Plugin", msg: "The item https://portal.contoso.com/a.docx cannot be crawled. Access is denied. (0x80041205)"}
    expect: []
  - name: NEAR MISS the address in the row of another part of search
    uls:
      - {t: "10:00:00.00", id: zq1a, level: Medium, category: "Crawler:Content Plugin", msg: "The start address https://portal.contoso.com cannot be crawled. Access is denied."}
      - {t: "10:00:01.00", id: zq1a, level: Medium, category: "Crawler:Content Plugin", msg: "The start address https://portal.contoso.com cannot be crawled."}
    expect: []
  - name: PASS a crawl begins
    uls:
      - {t: "10:00:00.00", id: zq1a, category: "Crawler:Gatherer Plugin", msg: "Crawl was started."}
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
        message: "D:\\Program Files\\Microsoft Office Servers\\16.0\\bin\\mssdmn.exe cannot open SQL connections because .NET fails when it looks for the program's configuration. Mostly an update of .NET since September 2018 asks for a section, and the program has no configuration file."
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
        message: "Content processing cannot start a parser because its process lacks a user right; it runs as the account of the SharePoint Search Host Controller."
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
        message: "The content plug-in had to wait for memory before it sent documents to FAST Search (2 row(s); at first 91% full with a limit of 80%)."
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
    expect: [{verdict: memory-limit, severity: error, confidence: likely, symptoms: {waiting: 10}, message: "The content plug-in waits again and again before it sends documents to FAST Search: memory is fuller than its limit, at first 85% with a limit of 82%."}]
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
        severity: warning
        confidence: likely
        symptoms: {submissions: 1, mode: 1}
        message: "SharePoint Online throttled the crawl: it refused 1 batch(es) of crawled items (0x80040dd1)."
  - name: batches are refused again and again
    uls:
      - {t: "10:00:00.00", times: 10, every: 1m, id: "amn30", level: High, area: SharePoint Server Search, category: Crawler:Azure Plugin, msg: 'CAzurePlugin::SubmitTaskInternal Failed to SubmitDocuments with hr : 0x80040dd1'}
      - {t: "10:10:00.00", id: "amn28", area: SharePoint Server Search, category: Crawler:Azure Plugin, msg: 'CAzurePlugin::AdviseStatus AzurePlugin is in throttling mode'}
    expect:
      - verdict: refused-often
        severity: error
        confidence: likely
        symptoms: {submissions: 10, mode: 1}
        message: "SharePoint Online throttles the crawl again and again: it refused 10 batch(es) of crawled items (0x80040dd1)."
  - name: NEAR MISS nine refused batches
    uls:
      - {t: "10:00:00.00", times: 9, every: 1m, id: "amn30", level: High, area: SharePoint Server Search, category: Crawler:Azure Plugin, msg: 'CAzurePlugin::SubmitTaskInternal Failed to SubmitDocuments with hr : 0x80040dd1'}
    expect: [{verdict: submissions-refused, symptoms: {submissions: 9}}]
  - name: NEAR MISS ten refused batches in more than ten minutes
    uls:
      - {t: "10:00:00.00", times: 10, every: 70s, id: "amn30", level: High, area: SharePoint Server Search, category: Crawler:Azure Plugin, msg: 'CAzurePlugin::SubmitTaskInternal Failed to SubmitDocuments with hr : 0x80040dd1'}
    expect: [{verdict: submissions-refused, symptoms: {submissions: 10}}]
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
        message: "SharePoint Online refused crawled items (Forbidden, 1 row(s) of ayg2m, amnz2 or amoeu); a used-up index quota is possible, and so are missing rights of the farm."
  - name: a paste that lost the first columns
    paste: |
      SharePoint Server Search Crawler:Azure Plugin ayg2m High AzureServiceProxy::SubmitDocuments: submit failed for the document: HTTP status: Forbidden
    expect: [{verdict: item-refused, symptoms: {refused: 1}}]
  - name: items are refused again and again
    uls:
      - {t: "10:00:00.00", times: 10, every: 1m, id: "ayg2m", level: High, area: SharePoint Server Search, category: Crawler:Azure Plugin, msg: 'AzureServiceProxy::SubmitDocuments: submit failed for the document: HTTP status: Forbidden'}
    expect: [{verdict: quota-used-up, severity: error, confidence: likely, symptoms: {refused: 10}, message: "SharePoint Online refuses crawled items again and again (Forbidden, 10 row(s) of ayg2m, amnz2 or amoeu): the tenant's index quota for on-premises items may be used up, or the farm has lost its rights."}]
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
        message: "A workflow cannot run because the compiler refuses type System.CodeDom.CodeMethodInvokeExpression. Mostly it is not among the authorized types of the configuration."
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
        message: "A workflow cannot run because the compiler refuses type Microsoft.SharePoint.WorkflowActions.WithKey. Mostly it is not among the authorized types of the configuration."
  - name: NEAR MISS an action of SharePoint fails at work, and is named in another event
    uls:
      - {t: "10:00:00.00", id: "72fs", level: Unexpected, category: Workflow Infrastructure, msg: 'RunWorkflow: System.ArgumentException: No value.     at Microsoft.SharePoint.WorkflowActions.WithKey.Get (Object key)'}
      - {t: "10:00:01.00", id: "0000", level: Unexpected, area: Contoso, category: Deploy, msg: '<CompilerError Line="-1" Column="-1" Text="Type Microsoft.SharePoint.WorkflowActions.WithKey is not marked as authorized in the application configuration file." />'}
    expect: []
  - name: NEAR MISS the compiler does not find an action of SharePoint
    uls:
      - {t: "10:00:00.00", id: "72fs", level: Unexpected, category: Workflow Infrastructure, msg: 'RunWorkflow: Microsoft.SharePoint.SPException: <Error><CompilerError Line="1" Column="60" Text="Could not deserialize object. The type &apos;Microsoft.SharePoint.WorkflowActions.RootWorkflowActivityWithData&apos; could not be resolved." /></Error>'}
      - {t: "10:00:01.00", id: "72fs", level: Unexpected, category: Workflow Infrastructure, msg: "RunWorkflow: Microsoft.SharePoint.SPException: <Error><CompilerError Line='1' Column='60' Text='The type ''Microsoft.SharePoint.WorkflowActions.RootWorkflowActivityWithData'' could not be resolved.' /></Error>"}
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

private let FS1083_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1083
tests:
  - name: a part is not authorized, each event
    each: {id: [c42q8, c42ra, c42rh]}
    uls:
      - {t: "10:00:00.00", id: "<id>", level: High, category: Workflow Infrastructure, corr: A, msg: "Potentially malicious xoml node: <Contoso.Approve />"}
    expect: [{verdict: part-not-authorized, severity: error, confidence: likely, symptoms: {preparse: 1}}]
  - name: a dictionary is not authorized, and the rest
    uls:
      - {t: "10:00:00.00", id: c42q0, level: High, category: Workflow Infrastructure, corr: A, msg: "Type is not authorized."}
      - {t: "10:00:01.00", id: c42q8, level: High, category: Workflow Infrastructure, corr: A, msg: "Node is not authorized."}
      - {t: "10:00:02.00", id: 6ksbk, level: High, category: Workflow Infrastructure, corr: A, msg: "Encoding."}
    expect: [{verdict: dictionary-type, severity: error, confidence: likely, symptoms: {dictionary: 1, preparse: 1, encoding: 1}}]
  - name: a part is not authorized, and a file is not in UTF-8
    uls:
      - {t: "10:00:01.00", id: c42q8, level: High, category: Workflow Infrastructure, corr: A, msg: "Node is not authorized."}
      - {t: "10:00:02.00", id: 6ksbk, level: High, category: Workflow Infrastructure, corr: A, msg: "Encoding."}
    expect: [{verdict: part-not-authorized, symptoms: {preparse: 1, encoding: 1}}]
  - name: a file is not in UTF-8
    uls:
      - {t: "10:00:02.00", id: 6ksbk, level: High, category: Workflow Infrastructure, corr: A, msg: "Encoding."}
    expect: [{verdict: not-utf8, severity: error, confidence: likely, symptoms: {encoding: 1}}]
  - name: NEAR MISS a type of code is not authorized, which is another rule's
    uls:
      - {t: "10:00:00.00", id: "72fs", level: Unexpected, category: Workflow Infrastructure, corr: A, msg: 'RunWorkflow: Microsoft.SharePoint.SPException: <Error><CompilerError Text="Type System.CodeDom.CodePrimitiveExpression is not marked as authorized" /></Error>'}
    expect: []
  - name: NEAR MISS neighbours of the events
    each: {id: [c42q9, c42rg]}
    uls:
      - {t: "10:00:00.00", id: "<id>", level: High, category: Workflow Infrastructure, corr: A, msg: "Potentially malicious xoml node c42q8 c42q0 6ksbk"}
    expect: []
  - name: NEAR MISS a workflow is ended by a user
    uls:
      - {t: "10:00:00.00", id: 88xr, level: High, category: Workflow Infrastructure, corr: A, msg: "Workflow was terminated by a user."}
    expect: []
  - name: PASS a workflow runs
    uls:
      - {t: "10:00:00.00", id: 88xr, category: Workflow Infrastructure, msg: "Workflow instance was started."}
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
        symptoms: {broker: 1}
        count: 1
        captures: {database: UPS_Sync, server: SQL02.contoso.com}
        message: "SQL Server refuses to enable the Service Broker in UPS_Sync on SQL02.contoso.com, which is in an availability group or a mirroring session; user profile synchronization does not start then."
  - name: two setups, one of which writes no correlation
    uls:
      - {t: "10:00:00.00", id: "g144", level: Unexpected, area: SharePoint Portal Server, category: User Profiles, process: OWSTIMER.EXE, msg: 'Failed to set the new Service Broker on database UPS_Sync on server SQL02. Exception: The operation cannot be performed on database "UPS_Sync" because it is involved in a database mirroring session or an availability group.'}
      - {t: "10:00:00.10", id: "9sip", level: High, area: SharePoint Portal Server, category: User Profiles, process: OWSTIMER.EXE, msg: 'UserProfileApplication.SynchronizeMIIS: System.Data.SqlClient.SqlException (0x80131904): x     at Microsoft.Office.Server.Administration.SynchronizationDatabase.EnableServiceBroker()  Error Number:1468,State:1,Class:16'}
      - {t: "10:10:00.00", id: "g144", level: Unexpected, area: SharePoint Portal Server, category: User Profiles, process: OWSTIMER.EXE, corr: A, msg: 'Failed to set the new Service Broker on database UPS_Sync on server SQL02. Exception: The operation cannot be performed on database "UPS_Sync" because it is involved in a database mirroring session or an availability group.'}
      - {t: "10:10:00.10", id: "9sip", level: High, area: SharePoint Portal Server, category: User Profiles, process: OWSTIMER.EXE, corr: A, msg: 'UserProfileApplication.SynchronizeMIIS: System.Data.SqlClient.SqlException (0x80131904): x     at Microsoft.Office.Server.Administration.SynchronizationDatabase.EnableServiceBroker()  Error Number:1468,State:1,Class:16'}
    expect: [{verdict: database-mirrored, symptoms: {broker: 2}, count: 2}]
  - name: only the row of the Service Broker is in the log
    uls:
      - {t: "10:00:00.00", id: "g144", level: Unexpected, area: SharePoint Portal Server, category: User Profiles, msg: 'Failed to set the new Service Broker on database UPS_Sync on server SQL02. Exception: The operation cannot be performed on database "UPS_Sync" because it is involved in a database mirroring session or an availability group.'}
    expect: [{verdict: database-mirrored, symptoms: {broker: 1}, captures: {database: UPS_Sync, server: SQL02}}]
  - name: SQL Server speaks another language
    uls:
      - {t: "10:00:00.10", id: "9sip", level: High, area: SharePoint Portal Server, category: User Profiles, msg: 'UserProfileApplication.SynchronizeMIIS: System.Data.SqlClient.SqlException (0x80131904): Der Vorgang kann für die Datenbank nicht ausgeführt werden.     bei Microsoft.Office.Server.Administration.SynchronizationDatabase.EnableServiceBroker()  ClientConnectionId:4a0f  Fehlernummer:1468,Status:1,Klasse:16'}
    expect:
      - verdict: database-mirrored
        symptoms: {broker: 1}
        message: "SQL Server refuses to enable the Service Broker in the synchronization database on SQL Server, which is in an availability group or a mirroring session; user profile synchronization does not start then."
  - name: a paste whose stack trace stands on lines of its own
    paste: |
      OWSTIMER.EXE (0x1A40) 0x2B10 SharePoint Portal Server User Profiles 9sip High UserProfileApplication.SynchronizeMIIS: Failed to configure MIIS post database, will attempt during next rerun. Exception: System.Data.SqlClient.SqlException (0x80131904): The operation cannot be performed on database UPS_Sync because it is involved in a database mirroring session or an availability group.
      at System.Data.SqlClient.SqlCommand.ExecuteNonQuery()
      at Microsoft.Office.Server.Administration.SynchronizationDatabase.EnableServiceBroker()
      ClientConnectionId:4a0f  Error Number:1468,State:1,Class:16.
    expect: [{verdict: database-mirrored, symptoms: {broker: 1}}]
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

private let FS1088_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1088
tests:
  - name: the web application has no proxy, in the log and on a page of which only 8nca is there
    each: {id: [zq1a, 8nca]}
    uls:
      - {t: "10:00:00.00", times: 2, every: 1s, id: "<id>", level: High, area: SharePoint Portal Server, category: User Profiles, corr: A, msg: "UserProfileApplicationNotAvailableException_Logging :: UserProfileApplicationProxy.ApplicationProperties has null upa"}
    expect:
      - verdict: no-proxy
        severity: warning
        confidence: likely
        symptoms: {no_proxy: 1}
        message: "A caller found no User Profile service application behind the proxy. Mostly none is in the proxy group, or the one there leads to another farm whose service is not published, trusted or permitted."
  - name: each kind on a page of which only 8nca is there
    uls:
      - {t: "10:00:00.00", id: 8nca, corr: A, msg: "Application error when access /a.aspx, Error=x has null upa"}
      - {t: "10:00:01.00", id: 8nca, corr: B, msg: "Application error when access /a.aspx, Error=ProfilePropertyCache does not have 0a1b"}
      - {t: "10:00:02.00", id: 8nca, corr: C, msg: "Application error when access /a.aspx, Error=No User Profile Application available to service the request."}
    expect: [{verdict: no-proxy, symptoms: {no_proxy: 1, no_properties: 1, other: 1}}]
  - name: the account has no permission
    uls:
      - {t: "10:00:00.00", times: 2, every: 1s, id: zq1a, level: High, corr: A, msg: "UserProfileApplicationNotAvailableException_Logging :: UserProfileApplicationProxy.ApplicationProperties ProfilePropertyCache does not have 0a1b2c3d"}
      - {t: "10:00:02.00", id: 8nca, corr: C, msg: "Application error when access /a.aspx, Error=No User Profile Application available to service the request."}
    expect: [{verdict: no-answer, severity: warning, confidence: likely, symptoms: {no_properties: 1, other: 1}}]
  - name: the rows of a page that do not say why, and the generic rule says nothing of them
    with: [FS1002]
    uls:
      - {t: "10:00:00.00", id: 8nca, corr: A, msg: "Application error when access /a.aspx, Error=No User Profile Application available to service the request. Contact your farm administrator."}
      - {t: "10:00:00.01", id: tkau, level: Unexpected, category: Runtime, corr: A, msg: "Microsoft.Office.Server.UserProfiles.UserProfileApplicationNotAvailableException: No User Profile Application available to service the request."}
    expect: [{verdict: not-available, severity: warning, confidence: likely, symptoms: {other: 1}}]
  - name: a job, at High
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, process: OWSTIMER.EXE, msg: "Microsoft.Office.Server.UserProfiles.UserProfileApplicationNotAvailableException: Nicht verfügbar."}
    expect: [{verdict: not-available, symptoms: {other: 1}}]
  - name: NEAR MISS the texts alone in rows of another event
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, msg: "The proxy has null upa"}
      - {t: "10:00:01.00", id: zq1a, level: High, corr: A, msg: "ProfilePropertyCache does not have it"}
      - {t: "10:00:02.00", id: zq1a, level: High, corr: A, msg: "No User Profile Application available to service the request"}
    expect: []
  - name: NEAR MISS below High
    uls:
      - {t: "10:00:00.00", id: zq1a, level: Medium, corr: A, msg: "UserProfileApplicationNotAvailableException handled, has null upa"}
      - {t: "10:00:01.00", id: zq1a, level: Medium, corr: A, msg: "UserProfileApplicationNotAvailableException handled, ProfilePropertyCache does not have it"}
      - {t: "10:00:02.00", id: zq1a, level: Medium, corr: A, msg: "UserProfileApplicationNotAvailableException handled"}
    expect: []
  - name: NEAR MISS another error of profiles
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, msg: "Microsoft.Office.Server.UserProfiles.UserNotFoundException: User not found."}
      - {t: "10:00:01.00", id: 8nca, corr: A, msg: "Application error when access /a.aspx, Error=User not found."}
    expect: []
  - name: NEAR MISS the named kinds are not counted again
    uls:
      - {t: "10:00:00.00", id: 8nca, corr: A, msg: "Error=No User Profile Application available to service the request: has null upa"}
    expect: [{verdict: no-proxy, symptoms: {no_proxy: 1}}]
  - name: NEAR MISS the named kinds are not counted again, without permission
    each: {id: [8nca, zq1a]}
    uls:
      - {t: "10:00:00.00", id: "<id>", level: High, corr: A, msg: "Error=No User Profile Application available to service the request: UserProfileApplicationNotAvailableException ProfilePropertyCache does not have"}
    expect: [{verdict: no-answer, symptoms: {no_properties: 1}}]
  - name: no application is online, no proxy
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, msg: "UserProfileApplicationNotAvailableException_Logging :: UserProfileApplicationProxy.ApplicationProperties has null upa"}
    farm: '{"schema": "fastctl.farm/1", "servers": [{"name": "APP1", "services": [{"type": "Microsoft.Office.Server.Administration.UserProfileServiceInstance", "status": "Online"}]}], "serviceApplications": [{"name": "UPA", "type": "Microsoft.Office.Server.Administration.UserProfileApplication", "status": "Disabled"}]}'
    expect: [{verdict: no-application, severity: warning, confidence: certain, symptoms: {no_proxy: 1}, undecided: []}]
  - name: no application is online, no properties
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, msg: "UserProfileApplicationNotAvailableException_Logging :: UserProfileApplicationProxy.ApplicationProperties ProfilePropertyCache does not have 0a1b2c3d"}
    farm: '{"schema": "fastctl.farm/1", "servers": [{"name": "APP1", "services": [{"type": "Microsoft.Office.Server.Administration.UserProfileServiceInstance", "status": "Online"}]}], "serviceApplications": [{"name": "UPA", "type": "Microsoft.Office.Server.Administration.UserProfileApplication", "status": "Disabled"}]}'
    expect: [{verdict: no-application, severity: warning, confidence: certain, symptoms: {no_properties: 1}, undecided: []}]
  - name: no application is online, other
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, msg: "Microsoft.Office.Server.UserProfiles.UserProfileApplicationNotAvailableException: No User Profile Application available."}
    farm: '{"schema": "fastctl.farm/1", "servers": [{"name": "APP1", "services": [{"type": "Microsoft.Office.Server.Administration.UserProfileServiceInstance", "status": "Online"}]}], "serviceApplications": [{"name": "UPA", "type": "Microsoft.Office.Server.Administration.UserProfileApplication", "status": "Disabled"}]}'
    expect: [{verdict: no-application, severity: warning, confidence: certain, symptoms: {other: 1}, undecided: []}]
  - name: the service runs nowhere, with each kind of row
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, msg: "UserProfileApplicationNotAvailableException_Logging :: UserProfileApplicationProxy.ApplicationProperties has null upa"}
      - {t: "10:00:01.00", id: zq1a, level: High, corr: B, msg: "UserProfileApplicationNotAvailableException_Logging :: UserProfileApplicationProxy.ApplicationProperties ProfilePropertyCache does not have 0a1b2c3d"}
      - {t: "10:00:02.00", id: zq1a, level: High, corr: C, msg: "Microsoft.Office.Server.UserProfiles.UserProfileApplicationNotAvailableException: No User Profile Application available."}
    farm: '{"schema": "fastctl.farm/1", "servers": [{"name": "APP1", "services": [{"type": "Microsoft.Office.Server.Administration.UserProfileServiceInstance", "status": "Disabled"}]}], "serviceApplications": [{"name": "UPA", "type": "Microsoft.Office.Server.Administration.UserProfileApplication", "status": "Online"}]}'
    expect: [{verdict: service-stopped, severity: warning, confidence: certain, symptoms: {no_proxy: 1, no_properties: 1, other: 1}, undecided: []}]
  - name: no application and all kinds of rows
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, msg: "UserProfileApplicationNotAvailableException_Logging :: UserProfileApplicationProxy.ApplicationProperties has null upa"}
      - {t: "10:00:01.00", id: zq1a, level: High, corr: B, msg: "UserProfileApplicationNotAvailableException_Logging :: UserProfileApplicationProxy.ApplicationProperties ProfilePropertyCache does not have 0a1b2c3d"}
      - {t: "10:00:02.00", id: zq1a, level: High, corr: C, msg: "Microsoft.Office.Server.UserProfiles.UserProfileApplicationNotAvailableException: No User Profile Application available."}
    farm: '{"schema": "fastctl.farm/1", "servers": [{"name": "APP1", "services": []}], "serviceApplications": []}'
    expect: [{verdict: no-application, symptoms: {no_proxy: 1, no_properties: 1, other: 1}}]
  - name: the service runs nowhere, no properties alone
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, msg: "UserProfileApplicationNotAvailableException_Logging :: UserProfileApplicationProxy.ApplicationProperties ProfilePropertyCache does not have 0a1b2c3d"}
    farm: '{"schema": "fastctl.farm/1", "servers": [{"name": "APP1", "services": []}], "serviceApplications": [{"name": "UPA", "type": "Microsoft.Office.Server.Administration.UserProfileApplication", "status": "Online"}]}'
    expect: [{verdict: service-stopped, symptoms: {no_properties: 1}}]
  - name: the service runs nowhere, other alone
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, msg: "Microsoft.Office.Server.UserProfiles.UserProfileApplicationNotAvailableException: No User Profile Application available."}
    farm: '{"schema": "fastctl.farm/1", "servers": [{"name": "APP1", "services": []}], "serviceApplications": [{"name": "UPA", "type": "Microsoft.Office.Server.Administration.UserProfileApplication", "status": "Online"}]}'
    expect: [{verdict: service-stopped, symptoms: {other: 1}}]
  - name: NEAR MISS the service runs nowhere, and only a proxy is missing
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, msg: "UserProfileApplicationNotAvailableException_Logging :: UserProfileApplicationProxy.ApplicationProperties has null upa"}
    farm: '{"schema": "fastctl.farm/1", "servers": [{"name": "APP1", "services": [{"type": "Microsoft.Office.Server.Administration.UserProfileServiceInstance", "status": "Disabled"}]}], "serviceApplications": [{"name": "UPA", "type": "Microsoft.Office.Server.Administration.UserProfileApplication", "status": "Online"}]}'
    expect: [{verdict: no-proxy, undecided: []}]
  - name: NEAR MISS the application is online and the service runs
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, msg: "UserProfileApplicationNotAvailableException_Logging :: UserProfileApplicationProxy.ApplicationProperties ProfilePropertyCache does not have 0a1b2c3d"}
    farm: '{"schema": "fastctl.farm/1", "servers": [{"name": "APP1", "services": [{"type": "Microsoft.Office.Server.Administration.UserProfileServiceInstance", "status": "Online"}]}], "serviceApplications": [{"name": "UPA", "type": "Microsoft.Office.Server.Administration.UserProfileApplication", "status": "Online"}]}'
    expect: [{verdict: no-answer, undecided: []}]
  - name: NEAR MISS neither is there, and nobody misses it
    uls:
      - {t: "10:00:00.00", id: zq1a, category: User Profiles, msg: "Profile was read."}
    farm: '{"schema": "fastctl.farm/1", "servers": [{"name": "APP1", "services": []}], "serviceApplications": []}'
    expect: []
  - name: PASS a profile is read
    uls:
      - {t: "10:00:00.00", id: zq1a, category: User Profiles, msg: "Profile was read."}
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
      - {t: "11:04:29.10", id: c91s, level: Monitorable, area: SharePoint Server, category: Unified Logging Service, process: OWSTIMER.EXE, corr: A, msg: 'Watson bucket parameters: SharePoint Server 2013, ULSException14, 06d8f9f3 "sharepoint portal server", e0434352 "e0434352", 0024950b "ajjul"'}
    expect:
      - {verdict: missing-method, severity: error, confidence: likely, symptoms: {failed: 1, missing: 1, reported: 1}, captures: {user: "CONTOSO\\jane", url: "http://my.contoso.local/personal/jane"}}

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
      - {t: "21:11:02.00", id: c91s, level: Monitorable, area: SharePoint Server, category: Unified Logging Service, process: OWSTIMER.EXE, corr: A, msg: 'Watson bucket parameters: SharePoint Server 2013, ULSException14, 06d8f9f3 "sharepoint portal server", e0434352 "e0434352", 0024950b "ajjul"'}
    expect:
      - {verdict: managed-path, severity: error, confidence: likely, symptoms: {failed: 1, configuration: 1, reported: 1}}

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
      - {t: "21:11:04.00", id: c91s, level: Monitorable, area: SharePoint Server, category: Unified Logging Service, process: OWSTIMER.EXE, corr: A, msg: 'Watson bucket parameters: SharePoint Server 2013, ULSException14, 06d8f9f3 "sharepoint portal server", e0434352 "e0434352", 0024950b "ajjul"'}
    expect:
      - {verdict: failed, severity: error, confidence: likely, symptoms: {failed: 2, reported: 1}, captures: {user: "CONTOSO\\kim"}}

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
      - {verdict: configuration, symptoms: {configuration: 1}, message: "A personal site is not created: SharePoint calls its configuration wrong, and the row says what; often a managed path is missing (user not logged, address not logged)."}

  - name: the configuration is wrong, in the event itself
    uls:
      - {t: "21:11:02.00", id: "5187", level: Critical, area: SharePoint Portal Server, category: Administration, process: OWSTIMER.EXE, corr: A, msg: "My Site creation failure for user 'CONTOSO\\jane' for site url 'http://my.contoso.local/personal/jane'. The exception was: Microsoft.Office.Server.UserProfiles.PersonalSiteCreateConfigurationException: The quota template does not exist."}
      - {t: "21:11:02.00", id: c91s, level: Monitorable, area: SharePoint Server, category: Unified Logging Service, process: OWSTIMER.EXE, corr: A, msg: 'Watson bucket parameters: SharePoint Server 2013, ULSException14, 06d8f9f3 "sharepoint portal server", e0434352 "e0434352", 0024950b "ajjul"'}
    expect:
      - {verdict: configuration, symptoms: {failed: 1, configuration: 1, reported: 1}}

  - name: NEAR MISS an error report of another row, and another row that names this one
    uls:
      - {t: "21:11:02.00", id: "5187", level: Critical, area: SharePoint Portal Server, category: Administration, process: OWSTIMER.EXE, corr: A, msg: "My Site creation failure for user 'CONTOSO\\jane' for site url 'http://my.contoso.local/personal/jane'."}
      - {t: "21:11:02.00", id: c91s, level: Monitorable, area: SharePoint Server, category: Unified Logging Service, corr: A, msg: 'Watson bucket parameters: SharePoint Server 2013, ULSException14, 0024950b "ajlz0"'}
      - {t: "21:11:02.00", id: zq1a, level: Monitorable, area: SharePoint Server, category: Unified Logging Service, corr: A, msg: 'Watson bucket parameters: SharePoint Server 2013, ULSException14, 0024950b "ajjul"'}
    expect:
      - {verdict: failed, symptoms: {failed: 1}}

  - name: NEAR MISS error reports of the job alone
    uls:
      - {t: "21:11:02.00", id: c91s, level: Monitorable, area: SharePoint Server, category: Unified Logging Service, process: OWSTIMER.EXE, corr: A, msg: 'Watson bucket parameters: SharePoint Server 2013, ULSException14, 06d8f9f3 "sharepoint portal server", e0434352 "e0434352", 0024950b "ajjul"'}
    expect: []

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

private let FS1090_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1090
tests:
  - name: the user is not a member
    uls:
      - {t: "10:00:00.00", id: zq1a, level: Medium, area: Secure Store Service, category: Secure Store, corr: A, msg: "ValidateCredentialClaims - Access Denied: Claims stored in the credentials did not match with the group claim for a group app."}
      - {t: "10:00:00.01", id: "7493", level: Critical, area: Secure Store Service, category: Secure Store, corr: A, msg: "The Microsoft Secure Store Service application Secure Store failed to retrieve credentials. The error returned was 'Access is denied.'."}
      - {t: "10:00:00.02", id: elm4, level: Medium, area: Secure Store Service, category: Secure Store, corr: A, msg: "SQL command failed 80630001"}
    expect: [{verdict: not-a-member, severity: warning, confidence: likely, symptoms: {not_member: 1, failed: 1, not_found: 1}}]
  - name: there are no credentials, in both rows
    each: {id: [elm4, zq1a]}
    uls:
      - {t: "10:00:00.00", id: "<id>", level: High, area: Secure Store Service, category: Secure Store, corr: A, msg: "SQL command failed with 80630001 Credentials were not found for the current user."}
      - {t: "10:00:00.01", id: "7493", level: Critical, area: Secure Store Service, category: Secure Store, corr: A, msg: "x"}
    expect: [{verdict: no-credentials, severity: warning, confidence: likely, symptoms: {not_found: 1, failed: 1}}]
  - name: the row of SQL Server below High
    uls:
      - {t: "10:00:00.00", id: elm4, level: Medium, area: Secure Store Service, category: Secure Store, corr: A, msg: "80630001"}
    expect: [{verdict: no-credentials}]
  - name: the server has no master key, as the event log says
    each: {msg: ["The Microsoft Secure Store Service application Secure Store Services failed to retrieve the master secret key.  The error returned was: 'x'.", "Unable to obtain master key."]}
    uls:
      - {t: "10:00:00.00", id: "7535", level: High, area: Secure Store Service, category: Secure Store, corr: A, msg: "<msg>"}
      - {t: "10:00:00.01", id: "7493", level: Critical, area: Secure Store Service, category: Secure Store, corr: A, msg: "x"}
      - {t: "10:00:00.02", id: elm4, level: Medium, corr: A, msg: "80630001"}
      - {t: "10:00:00.03", id: zq1a, level: Medium, category: Secure Store, corr: A, msg: "Claims stored in the credentials did not match with the group claim"}
    expect: [{verdict: no-key, severity: warning, confidence: likely, symptoms: {no_key: 1, failed: 1, not_found: 1, not_member: 1}}]
  - name: NEAR MISS the key in milder rows, and a key that was never generated
    uls:
      - {t: "10:00:00.00", id: zq1a, level: Medium, category: Secure Store, msg: "Unable to obtain master key."}
      - {t: "10:00:01.00", id: zq1a, level: Medium, category: Secure Store, msg: "Master secret key is not present in the database."}
      - {t: "10:00:02.00", id: a491d, level: High, category: Secure Store, msg: "MasterSecretKeyExists threw exception: Master secret key is not present in the database."}
    expect: []
  - name: another error
    uls:
      - {t: "10:00:00.01", id: "7493", level: Critical, area: Secure Store Service, category: Secure Store, corr: A, msg: "The Microsoft Secure Store Service application Secure Store failed to retrieve credentials. The error returned was 'Access is denied.'."}
    expect: [{verdict: failed, severity: warning, confidence: likely, symptoms: {failed: 1}, captures: {error: Access is denied.}, message: "The Secure Store gave no credentials (Access is denied.)."}]
  - name: NEAR MISS the key cannot be generated, and other rows of the service
    uls:
      - {t: "10:00:00.00", id: eft9, level: High, area: Secure Store Service, category: Secure Store, msg: "ChangeMasterSecretKey failed with the following exception : System.Exception: x"}
      - {t: "10:00:01.00", id: elm4, level: Medium, area: Secure Store Service, category: Secure Store, msg: "SQL command failed 80630005"}
      - {t: "10:00:02.00", id: zq1a, level: Medium, area: Secure Store Service, category: Secure Store, msg: "80630001 was handled"}
    expect: []
  - name: NEAR MISS the sentence in another category, and below Medium
    uls:
      - {t: "10:00:00.00", id: zq1a, level: Medium, category: Contoso, msg: "Claims stored in the credentials did not match with the group claim"}
      - {t: "10:00:01.00", id: zq1a, level: Verbose, category: Secure Store, msg: "Claims stored in the credentials did not match with the group claim"}
    expect: []
  - name: NEAR MISS the number's text in another event
    uls:
      - {t: "10:00:00.00", id: "7494", level: Critical, category: Secure Store, msg: "The error returned was 'Access is denied.'"}
    expect: []
  - name: PASS credentials are given
    uls:
      - {t: "10:00:00.00", id: zq1a, area: Secure Store Service, category: Secure Store, msg: "Credentials were retrieved."}
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
    expect: [{verdict: key-not-changed, undecided: [known-bug-of-the-farm, other-build, no-identity]}]
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
  - name: a server of the farm has a build with the known bug
    each: {build: [16.0.4549, 16.0.4561.1000, 16.0.4573.1002, 16.0.4573]}
    uls:
      - {t: "10:00:00.02", id: "7fd9", level: Unexpected, corr: A, msg: "ERROR: Failed to OpenThreadToken, LastError=1008"}
      - {t: "10:00:00.04", id: "eft9", level: Unexpected, area: Secure Store Service, category: Secure Store, corr: A, msg: "ChangeMasterSecretKey failed with exception : Microsoft.SharePoint.SPException: Cannot complete this action.     at Microsoft.SharePoint.Administration.SPAcl`1.CalculatePermissions()"}
    farm: '{"schema": "fastctl.farm/1", "servers": [{"name": "WFE1", "build": "16.0.4600.1000"}, {"name": "APP1", "build": "<build>"}]}'
    expect: [{verdict: known-bug-of-the-farm, severity: error, confidence: likely, symptoms: {lost_identity: 1}}]
  - name: a build that the log names comes first
    uls:
      - {t: "09:59:00.00", id: c91s, level: Monitorable, category: Watson, corr: W, msg: 'Watson bucket parameters: Microsoft SharePoint 2016, ULSException14, 10000b5a "16.0.4561.1001.0"'}
      - {t: "10:00:00.02", id: "7fd9", level: Unexpected, corr: A, msg: "ERROR: Failed to OpenThreadToken, LastError=1008"}
      - {t: "10:00:00.04", id: "eft9", level: Unexpected, area: Secure Store Service, category: Secure Store, corr: A, msg: "ChangeMasterSecretKey failed with exception : Microsoft.SharePoint.SPException: Cannot complete this action.     at Microsoft.SharePoint.Administration.SPAcl`1.CalculatePermissions()"}
    farm: '{"schema": "fastctl.farm/1", "servers": [{"name": "APP1", "build": "16.0.4561.1000"}]}'
    expect: [{verdict: known-bug}]
  - name: NEAR MISS no server of the farm has such a build
    each: {build: [16.0.4548.9999, 16.0.4574, 15.0.4569.1000, 16.0.10396.20000]}
    uls:
      - {t: "10:00:00.02", id: "7fd9", level: Unexpected, corr: A, msg: "ERROR: Failed to OpenThreadToken, LastError=1008"}
      - {t: "10:00:00.04", id: "eft9", level: Unexpected, area: Secure Store Service, category: Secure Store, corr: A, msg: "ChangeMasterSecretKey failed with exception : Microsoft.SharePoint.SPException: Cannot complete this action.     at Microsoft.SharePoint.Administration.SPAcl`1.CalculatePermissions()"}
    farm: '{"schema": "fastctl.farm/1", "servers": [{"name": "APP1", "build": "<build>"}]}'
    expect: [{verdict: other-build, severity: warning, confidence: likely, symptoms: {lost_identity: 1}}]
  - name: NEAR MISS the farm has such a build, and the key fails for another reason
    uls:
      - {t: "10:00:00.04", id: "eft9", level: Unexpected, area: Secure Store Service, category: Secure Store, corr: A, msg: "ChangeMasterSecretKey failed with exception : System.TimeoutException: The operation has timed out."}
    farm: '{"schema": "fastctl.farm/1", "servers": [{"name": "APP1", "build": "16.0.4561.1000"}]}'
    expect: [{verdict: key-not-changed}]
  - name: NEAR MISS the farm has another build, and the key fails for another reason
    uls:
      - {t: "10:00:00.04", id: "eft9", level: Unexpected, area: Secure Store Service, category: Secure Store, corr: A, msg: "ChangeMasterSecretKey failed with exception : System.TimeoutException: The operation has timed out."}
    farm: '{"schema": "fastctl.farm/1", "servers": [{"name": "APP1", "build": "16.0.4600.1000"}]}'
    expect: [{verdict: key-not-changed}]
  - name: the farm does not tell its builds
    uls:
      - {t: "10:00:00.02", id: "7fd9", level: Unexpected, corr: A, msg: "ERROR: Failed to OpenThreadToken, LastError=1008"}
      - {t: "10:00:00.04", id: "eft9", level: Unexpected, area: Secure Store Service, category: Secure Store, corr: A, msg: "ChangeMasterSecretKey failed with exception : Microsoft.SharePoint.SPException: Cannot complete this action.     at Microsoft.SharePoint.Administration.SPAcl`1.CalculatePermissions()"}
    farm: '{"schema": "fastctl.farm/1", "servers": [{"name": "APP1"}]}'
    expect: [{verdict: no-identity}]
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
        message: "A data refresh of PowerPivot timed out (1 row(s)); why is not in the row."
  - name: a paste with a placeholder for the time
    paste: |
      DateTime w3wp.exe (0x00000) 0x1B44 PowerPivot Service Data Refresh 99 High EXCEPTION: System.Net.WebException: The operation has timed out at System.Web.Services.Protocols.WebClientProtocol.GetWebResponse(WebRequest request)
    expect: [{verdict: one-refresh-timed-out, symptoms: {refreshes: 1}}]
  - name: refreshes time out again and again
    uls:
      - {t: "10:00:00.00", times: 3, every: 2h, id: "99", level: High, area: PowerPivot Service, category: Data Refresh, corr: "R<n>", msg: "EXCEPTION: System.Net.WebException: The operation has timed out"}
    expect: [{verdict: refresh-timed-out, severity: error, confidence: likely, symptoms: {refreshes: 3}, message: "Data refreshes of PowerPivot time out (3 row(s)). A known cause is the limit of 100 seconds for one data source in SharePoint 2016."}]
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

private let FS1095_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1095
tests:
  - name: a diagram is not drawn
    uls:
      - {t: "10:00:00.00", id: "9004", level: Warning, area: Visio Graphics Service, category: Web Access, msg: "Failed to access the cache."}
      - {t: "10:00:01.00", id: "8079", level: Critical, area: Visio Graphics Service, category: Graphics Service, msg: "Failed to generate raster diagram for file https://portal.contoso.com/Plans/Net.vsdx page 1 Error : System.IO.FileNotFoundException: D:\\VisioBundle1.cache    at Microsoft.Office.Visio.Server.GraphicsServer.DiskCache.ReadBundlePart(Bundle bundle, Int32 index)"}
    expect: [{verdict: diagram-not-drawn, severity: error, confidence: likely, symptoms: {failed: 1, no_cache: 1}, captures: {file: "https://portal.contoso.com/Plans/Net.vsdx"}, message: "Visio diagrams are not drawn, first https://portal.contoso.com/Plans/Net.vsdx: the service failed in its disk cache. Mostly a file of it is missing or cannot be read."}]
  - name: a diagram is not drawn, in another form
    uls:
      - {t: "10:00:01.00", id: "8079", level: Critical, area: Visio Graphics Service, category: Graphics Service, msg: "Diagramm for file https://portal.contoso.com/Plans/Net.vsdx Seite 1    bei Microsoft.Office.Visio.Server.GraphicsServer.DiskCache.ReadBundlePart(Bundle bundle)"}
    expect: [{verdict: diagram-not-drawn, captures: {file: "https://portal.contoso.com/Plans/Net.vsdx"}}]
  - name: the cache alone
    uls:
      - {t: "10:00:00.00", id: "9004", level: Warning, area: Visio Graphics Service, category: Web Access, msg: "Failed to access the cache."}
    expect: [{verdict: cache-not-used, severity: warning, confidence: likely, symptoms: {no_cache: 1}}]
  - name: NEAR MISS a diagram is damaged, and the frame in another event
    uls:
      - {t: "10:00:01.00", id: "8079", level: Critical, area: Visio Graphics Service, category: Graphics Service, msg: "Failed to generate raster diagram for file https://portal.contoso.com/Plans/Net.vsdx page 1 Error : The file is damaged."}
      - {t: "10:00:02.00", id: zq1a, level: Critical, area: Visio Graphics Service, category: Graphics Service, msg: "at Microsoft.Office.Visio.Server.GraphicsServer.DiskCache.ReadBundlePart(Bundle bundle)"}
    expect: []
  - name: NEAR MISS the number of another product's event, and another event of this one
    uls:
      - {t: "10:00:00.00", id: "9004", level: Warning, area: Contoso, category: Web Access, msg: "Failed to access the cache."}
      - {t: "10:00:01.00", id: "9005", level: Warning, area: Visio Graphics Service, category: Web Access, msg: "Failed to access the cache."}
    expect: []
  - name: PASS a diagram is drawn
    uls:
      - {t: "10:00:00.00", id: zq1a, area: Visio Graphics Service, category: Graphics Service, msg: "Diagram was drawn."}
    expect: []
  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1098_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1098
tests:
  - name: a form cannot be submitted
    uls:
      - {t: "10:00:00.00", id: eq8l, level: Warning, area: InfoPath Forms Services, category: Runtime - Data Connections, corr: A, msg: "The form could not be submitted to Web Service Submit because this action would violate cross-domain security restrictions."}
    expect: [{verdict: cross-domain, severity: error, confidence: likely, symptoms: {crossed: 1}, captures: {connection: Web Service Submit}, message: "A form of InfoPath cannot be submitted (Web Service Submit), because InfoPath Forms Services takes its address for one of another domain. Mostly the address in its data connection is another host than the one under which the form was opened."}]
  - name: NEAR MISS the text in another event
    uls:
      - {t: "10:00:00.00", id: eq8m, level: Warning, area: InfoPath Forms Services, category: Runtime - Data Connections, corr: A, msg: "The form could not be submitted to A because this action would violate cross-domain security restrictions."}
    expect: []
  - name: NEAR MISS a form cannot be submitted for another reason
    uls:
      - {t: "10:00:00.00", id: zq1a, level: Warning, area: InfoPath Forms Services, category: Runtime, corr: A, msg: "The form could not be submitted to A because the server did not answer."}
    expect: []
  - name: PASS a form is submitted
    uls:
      - {t: "10:00:00.00", id: zq1a, area: InfoPath Forms Services, category: Runtime, msg: "The form was submitted."}
    expect: []
  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1100_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1100
tests:
  - name: a receiver ends with an exception
    uls:
      - {t: "10:00:00.00", id: "6875", level: Critical, category: General, corr: A, msg: "Error loading and running event receiver Contoso.Lists.ItemReceiver in Contoso.Lists, Version=1.0.0.0, Culture=neutral, PublicKeyToken=0a1b2c3d4e5f6071. Additional information is below.  : Column 'Approver' does not exist. It may have been deleted by another user."}
    expect:
      - verdict: fails
        severity: warning
        confidence: likely
        symptoms: {receiver: 1}
        captures: {receiver: Contoso.Lists.ItemReceiver, assembly: Contoso.Lists}
        message: "Event receiver Contoso.Lists.ItemReceiver of assembly Contoso.Lists could not be loaded, or ended with an exception; the end of the row says which."
  - name: a receiver without a version
    uls:
      - {t: "10:00:00.00", id: "6875", level: Critical, category: General, corr: A, msg: "Error loading and running event receiver Contoso.Lists.ItemReceiver in Contoso.Lists. Additional information is below."}
    expect: [{verdict: fails, captures: {receiver: Contoso.Lists.ItemReceiver}}]
  - name: in another language, the name is in the evidence
    uls:
      - {t: "10:00:00.00", id: "6875", level: Critical, category: General, corr: A, msg: "Fehler beim Laden und Ausführen des Ereignisempfängers Contoso.Lists.ItemReceiver."}
    expect: [{verdict: fails, symptoms: {receiver: 1}}]
  - name: the ID above the text, as in a ticket
    paste: |
      EventID: 6875
      Error loading and running event receiver Contoso.Lists.ItemReceiver in Contoso.Lists, Version=1.0.0.0, Culture=neutral. Additional information is below.
      : Column 'Approver' does not exist.
    expect: [{verdict: fails, captures: {receiver: Contoso.Lists.ItemReceiver}}]
  - name: NEAR MISS the same text under another ID
    uls:
      - {t: "10:00:00.00", id: zq1a, level: Critical, category: General, corr: A, msg: "Error loading and running event receiver Contoso.Lists.ItemReceiver in Contoso.Lists."}
    expect: []
  - name: NEAR MISS the assembly is missing, which another rule tells
    uls:
      - {t: "10:00:00.00", id: "6875", level: Critical, category: General, corr: A, msg: "Error loading and running event receiver Contoso.Lists.ItemReceiver in Contoso.Lists. Additional information is below.  : Could not load file or assembly 'Contoso.Lists, Version=1.0.0.0' or one of its dependencies."}
    expect: []
  - name: PASS a receiver runs
    uls:
      - {t: "10:00:00.25", id: b4ly, category: Monitoring, corr: A, msg: "Leaving Monitored Scope (Event Receiver (Contoso.Lists.ItemReceiver)). Execution Time=25"}
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
      - {verdict: report-failed, symptoms: {failed: 2}, message: "The page customizereport.aspx failed 2 time(s); the log does not show whether its address named a list. A missing record library named Records is a known cause."}

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

private let FS1105_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1105
tests:
  - name: the request alone, two rows of one request
    uls:
      - {t: "10:00:00.00", times: 2, every: 1s, id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:https://portal.contoso.com:443/_layouts/15/ToolPane.aspx?DisplayMode=Edit&a=/ToolPane.aspx)"}
    expect:
      - verdict: tried
        severity: critical
        confidence: possible
        symptoms: {tool_pane: 1}
        captures: {request: "POST:https://portal.contoso.com:443/_layouts/15/ToolPane.aspx?DisplayMode=Edit&a=/ToolPane.aspx"}
        message: "Somebody sent a request in the form of the ToolShell attack (CVE-2025-53770): POST:https://portal.contoso.com:443/_layouts/15/ToolPane.aspx?DisplayMode=Edit&a=/ToolPane.aspx. Whether it succeeded is not in the log."
  - name: the request reaches the code, each exception and row
    each:
      id: [8nca, tkau, ajlz0]
      text: ["System.Runtime.Serialization.SerializationException: x", "at Microsoft.PerformancePoint.Scorecards.ExcelDataSet.get_DataTable()", "at System.Web.UI.ObjectStateFormatter.Deserialize(Stream inputStream)"]
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:https://portal.contoso.com:443/_layouts/16/ToolPane.aspx?DisplayMode=Edit&a=/ToolPane.aspx)"}
      - {t: "10:00:00.10", id: "<id>", level: Unexpected, category: Runtime, corr: A, msg: "Error=<text>"}
    expect: [{verdict: reached, severity: critical, confidence: likely, symptoms: {tool_pane: 1, reached: 1}}]
  - name: the page that is left behind, two rows of one request
    uls:
      - {t: "10:00:00.00", times: 2, every: 1s, id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (GET:https://portal.contoso.com:443/_layouts/15/spinstall0.aspx)"}
    expect: [{verdict: shell-requested, severity: critical, confidence: likely, symptoms: {shell: 1}, captures: {shell: "GET:https://portal.contoso.com:443/_layouts/15/spinstall0.aspx"}}]
  - name: all of it
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:https://portal.contoso.com:443/_layouts/16/ToolPane.aspx?DisplayMode=Edit&a=/ToolPane.aspx)"}
      - {t: "10:00:00.10", id: tkau, level: Unexpected, category: Runtime, corr: A, msg: "System.Runtime.Serialization.SerializationException: x"}
      - {t: "10:00:09.00", id: xmnv, category: Logging Correlation Data, corr: B, msg: "Name=Request (GET:https://portal.contoso.com:443/_layouts/15/spinstall0.aspx)"}
    expect: [{verdict: shell-requested, symptoms: {shell: 1, tool_pane: 1, reached: 1}}]
  - name: NEAR MISS somebody edits a web part
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (GET:https://portal.contoso.com:443/_layouts/15/ToolPane.aspx?DisplayMode=Edit&a=/ToolPane.aspx)"}
      - {t: "10:00:01.00", id: xmnv, category: Logging Correlation Data, corr: B, msg: "Name=Request (POST:https://portal.contoso.com:443/_layouts/15/ToolPane.aspx?a=/ToolPane.aspx)"}
      - {t: "10:00:02.00", id: xmnv, category: Logging Correlation Data, corr: C, msg: "Name=Request (POST:https://portal.contoso.com:443/_layouts/15/ToolPane.aspx?DisplayMode=Edit&a=/Pages/Home.aspx)"}
    expect: []
  - name: NEAR MISS a row of other code tells of the attack
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, area: Contoso, category: Security, msg: "Blocked (POST:/_layouts/15/ToolPane.aspx?DisplayMode=Edit&a=/ToolPane.aspx) and /spinstall0.aspx"}
    expect: []
  - name: NEAR MISS another page fails while it deserializes, before, after, and in another event
    uls:
      - {t: "10:00:00.00", id: tkau, level: Unexpected, category: Runtime, corr: A, msg: "System.Runtime.Serialization.SerializationException: x"}
      - {t: "10:00:01.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (POST:https://portal.contoso.com:443/_layouts/16/ToolPane.aspx?DisplayMode=Edit&a=/ToolPane.aspx)"}
      - {t: "10:00:02.00", id: tkau, level: Unexpected, category: Runtime, corr: B, msg: "System.Runtime.Serialization.SerializationException: x"}
      - {t: "10:00:03.00", id: tkau, level: Unexpected, category: Runtime, corr: A, msg: "System.ArgumentNullException: x"}
      - {t: "10:00:04.00", id: zq1a, level: Unexpected, category: Runtime, corr: A, msg: "System.Runtime.Serialization.SerializationException: x"}
    expect: [{verdict: tried, symptoms: {tool_pane: 1}}]
  - name: NEAR MISS a request without a correlation, and another thread
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, thread: "0x0001", msg: "Name=Request (POST:https://portal.contoso.com:443/_layouts/16/ToolPane.aspx?DisplayMode=Edit&a=/ToolPane.aspx)"}
      - {t: "10:00:01.00", id: tkau, level: Unexpected, category: Runtime, thread: "0x0001", msg: "System.Runtime.Serialization.SerializationException: x"}
    expect: [{verdict: reached}]
  - name: PASS a page is opened
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (GET:https://portal.contoso.com:443/Pages/Home.aspx)"}
    expect: []
  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1106_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1106
tests:
  - name: SQL Server is not found
    uls:
      - {t: "10:00:00.00", times: 3, every: 25m, id: 88bl, level: Monitorable, category: Topology, process: OWSTIMER.EXE, msg: "An exception occurred while trying to acquire the local farm: System.Data.SqlClient.SqlException (0x80131904): A network-related or instance-specific error occurred while establishing a connection to SQL Server."}
    expect:
      - {verdict: server-not-found, severity: error, confidence: likely, symptoms: {no_farm: 3, not_found: 3}}
  - name: the database cannot be opened
    uls:
      - {t: "10:00:00.00", times: 3, every: 25m, id: 88bl, level: Monitorable, category: Topology, msg: "An exception occurred while trying to acquire the local farm: System.Data.SqlClient.SqlException (0x80131904): Cannot open database \"SP_Config\" requested by the login. The login failed."}
    expect:
      - {verdict: database-not-opened, severity: error, confidence: likely, symptoms: {no_farm: 3, not_opened: 3}, captures: {database: SP_Config}, message: "A process cannot load the farm: the configuration database SP_Config cannot be opened. Mostly it is offline or gone, or the account of the process has no user in it."}
  - name: the database is slow
    uls:
      - {t: "10:00:00.00", times: 3, every: 25m, id: 88bl, level: Monitorable, category: Topology, msg: "An exception occurred while trying to acquire the local farm: System.Data.SqlClient.SqlException: Timeout expired.  The timeout period elapsed prior to completion of the operation or the server is not responding."}
    expect: [{verdict: database-slow, severity: error, confidence: likely, symptoms: {no_farm: 3, timed_out: 3}}]
  - name: an error in another language
    uls:
      - {t: "10:00:00.00", times: 3, every: 25m, id: 88bl, level: Monitorable, category: Topology, msg: "An exception occurred while trying to acquire the local farm: System.Data.SqlClient.SqlException: Fehler bei der Anmeldung."}
    expect: [{verdict: database-error, severity: error, confidence: likely, symptoms: {no_farm: 3}}]
  - name: all forms, the server comes first
    uls:
      - {t: "10:00:00.00", id: 88bl, level: Monitorable, category: Topology, msg: "SqlException: Timeout expired."}
      - {t: "10:00:01.00", id: 88bl, level: Monitorable, category: Topology, msg: "SqlException: Cannot open database \"SP_Config\" requested by the login."}
      - {t: "10:00:02.00", id: 88bl, level: Monitorable, category: Topology, msg: "SqlException: A network-related or instance-specific error occurred."}
    expect: [{verdict: server-not-found, symptoms: {no_farm: 3, not_found: 1, not_opened: 1, timed_out: 1}}]
  - name: the database comes before the time-out
    uls:
      - {t: "10:00:00.00", times: 2, every: 1s, id: 88bl, level: Monitorable, category: Topology, msg: "SqlException: Timeout expired."}
      - {t: "10:00:01.00", id: 88bl, level: Monitorable, category: Topology, msg: "SqlException: Cannot open database \"SP_Config\" requested by the login."}
    expect: [{verdict: database-not-opened, symptoms: {no_farm: 3, not_opened: 1, timed_out: 2}}]
  - name: the rule for connections says nothing of the same row
    with: [FS1046]
    uls:
      - {t: "10:00:00.00", id: 88bl, level: Monitorable, category: Topology, msg: "An exception occurred while trying to acquire the local farm: System.Data.SqlClient.SqlException: A network-related or instance-specific error occurred."}
    expect: [{rule: FS1106, verdict: for-a-moment}]
  - name: a paste
    paste: |
      <date> <time> OWSTIMER.EXE (0x0A10) 0x0B20 SharePoint Foundation   Topology     88bl   Monitorable  An exception occurred while trying to acquire the local farm: System.Data.SqlClient.SqlException: A network-related or instance-specific error occurred while establishing a connection to SQL Server.
    expect: [{verdict: for-a-moment, severity: warning, confidence: likely, symptoms: {no_farm: 1, not_found: 1}}]
  - name: NEAR MISS servers that start before SQL Server, two rows, and three over a day
    uls:
      - {t: "01:00:00.00", times: 2, every: 1m, id: 88bl, level: Monitorable, category: Topology, msg: "SqlException: A network-related or instance-specific error occurred. Timeout expired. Cannot open database \"SP_Config\" requested"}
      - {t: "14:00:00.00", times: 3, every: 3h, id: 88bl, level: Monitorable, category: Topology, msg: "SqlException: A network-related or instance-specific error occurred. Timeout expired. Cannot open database \"SP_Config\" requested"}
    expect: [{verdict: for-a-moment, severity: warning, symptoms: {no_farm: 5, not_found: 5, not_opened: 5, timed_out: 5}}]
  - name: NEAR MISS the same words in a row of another event, and with another exception
    uls:
      - {t: "01:00:00.00", id: 88bl, level: Monitorable, category: Topology, msg: "SqlException: x"}
      - {t: "01:00:01.00", id: zq1a, level: High, category: Database, msg: "SqlException: A network-related or instance-specific error occurred. Timeout expired. Cannot open database \"D\" requested"}
      - {t: "01:00:02.00", id: 88bl, level: Monitorable, category: Topology, msg: "TypeInitializationException: A network-related or instance-specific error occurred. Timeout expired. Cannot open database \"D\" requested"}
    expect: [{verdict: for-a-moment, symptoms: {no_farm: 1}}]
  - name: NEAR MISS one row
    uls:
      - {t: "01:00:00.00", id: 88bl, level: Monitorable, category: Topology, msg: "SqlException: x"}
    expect: [{verdict: for-a-moment, symptoms: {no_farm: 1}}]
  - name: NEAR MISS the farm cannot be loaded for want of a section of the configuration
    uls:
      - {t: "10:00:00.00", id: 88bl, level: Monitorable, category: Topology, msg: "An exception occurred while trying to acquire the local farm: System.TypeInitializationException: The type initializer for 'System.Data.SqlClient.SqlConnection' threw an exception after a timeout, a network-related or instance-specific error, Cannot open database \"D\""}
    expect: []
  - name: NEAR MISS a query of a list is slow
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, category: Database, msg: "System.Data.SqlClient.SqlException: Timeout expired."}
    expect: []
  - name: NEAR MISS a page cannot reach the database
    uls:
      - {t: "10:00:00.00", id: tkau, level: Unexpected, category: Runtime, msg: "System.Data.SqlClient.SqlException: A network-related or instance-specific error occurred."}
    expect: []
  - name: NEAR MISS a content database cannot be opened
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, category: Database, msg: "System.Data.SqlClient.SqlException: Cannot open database \"WSS_Content\" requested by the login."}
    expect: []
  - name: PASS the farm is loaded
    uls:
      - {t: "10:00:00.00", id: 88bm, level: Verbose, category: Topology, msg: "The local farm was loaded."}
    expect: []
  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1107_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1107
tests:
  - name: services do not start, in the log and on a page, and other rules say nothing of it
    each: {id: [zq1a, 8nca]}
    with: [FS1002, FS1026]
    uls:
      - {t: "10:00:00.00", times: 3, every: 2m, id: "<id>", level: High, category: Topology, corr: "R<n>", msg: "System.ServiceModel.ServiceActivationException: The service '/SecurityTokenServiceApplication/securitytoken.svc' cannot be activated due to an exception during compilation.  The exception message is: Memory gates checking failed because the free memory (78831616 bytes) is less than 5% of total memory.  To resolve this, adjust the value of minFreeMemoryPercentageToActivateService on the serviceHostingEnvironment config element."}
    expect:
      - verdict: memory-gate
        severity: error
        confidence: likely
        symptoms: {closed: 3}
        count: 3
        captures: {service: /SecurityTokenServiceApplication/securitytoken.svc, free: "78831616", percent: "5"}
        message: "Services such as /SecurityTokenServiceApplication/securitytoken.svc do not start: only 78831616 bytes of memory are free, less than 5% of the server's."
  - name: a page fails, in another language
    uls:
      - {t: "10:00:00.00", id: 8nca, corr: A, msg: "Application error when access /a.aspx, Error=The service '/a.svc' cannot be activated. free memory (1 bytes) is less than 7% minFreeMemoryPercentageToActivateService"}
    expect: [{verdict: memory-gate-once, severity: warning, confidence: likely, captures: {service: /a.svc, percent: "7"}, message: "Service /a.svc did not start: only 1 bytes of memory were free, less than 7% of the server's."}]
  - name: the token service reports it
    with: [FS1026]
    uls:
      - {t: "10:00:00.00", id: "8306", level: Critical, category: Claims Authentication, corr: A, msg: "An exception occurred when trying to issue security token: The requested service could not be activated. minFreeMemoryPercentageToActivateService"}
    expect: [{rule: FS1107, verdict: memory-gate-once}]
  - name: NEAR MISS now and then, and over an hour
    uls:
      - {t: "10:00:00.00", times: 2, every: 1m, id: zq1a, level: High, category: Topology, msg: "minFreeMemoryPercentageToActivateService"}
      - {t: "12:00:00.00", times: 3, every: 30m, id: zq1a, level: High, category: Topology, msg: "minFreeMemoryPercentageToActivateService"}
    expect: [{verdict: memory-gate-once, severity: warning, symptoms: {closed: 5}, count: 5}]
  - name: NEAR MISS a service fails for another reason, and a row below High
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, category: Topology, msg: "System.ServiceModel.ServiceActivationException: The service '/a.svc' cannot be activated due to an exception during compilation."}
      - {t: "10:00:01.00", id: zq1a, level: Medium, category: Topology, msg: "The setting minFreeMemoryPercentageToActivateService is 5."}
      - {t: "10:00:02.00", id: 8nca, msg: "Application error when access /a.aspx, Error=Value cannot be null."}
    expect: []
  - name: PASS a service starts
    uls:
      - {t: "10:00:00.00", id: zq1a, category: Topology, msg: "Service application proxy was created."}
    expect: []
  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1108_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1108
tests:
  - name: a page fails, each of its rows alone
    each: {id: [8nca, tkau, ajlz0, "6616"]}
    uls:
      - {t: "10:00:00.00", id: "<id>", level: High, corr: A, msg: "Error=Could not load file or assembly 'Contoso.Budget, Version=2.1.0.0, Culture=neutral, PublicKeyToken=0a1b2c3d4e5f6071' or one of its dependencies."}
    expect:
      - verdict: page
        severity: error
        confidence: likely
        symptoms: {page: 1}
        captures: {assembly: Contoso.Budget, version: 2.1.0.0}
        message: "Requests fail because a process cannot load assembly Contoso.Budget (version 2.1.0.0), or one that it needs. Mostly it is not deployed to this server, is there in another version, or the process was not restarted since."
  - name: the rows of one request count once, and the generic rule says nothing of them
    with: [FS1002]
    uls:
      - {t: "10:00:00.00", id: 8nca, corr: A, msg: "Application error when access /a.aspx, Error=Could not load file or assembly 'Contoso.Budget' or one of its dependencies."}
      - {t: "10:00:00.01", id: tkau, level: Unexpected, category: Runtime, corr: A, msg: "System.IO.FileNotFoundException: Could not load file or assembly 'Contoso.Budget' or one of its dependencies."}
    expect: [{verdict: page, symptoms: {page: 1, elsewhere: 1}, captures: {assembly: Contoso.Budget}}]
  - name: an event receiver is not run, in each of the rows
    each: {id: ["6875", acq1a]}
    uls:
      - {t: "10:00:00.00", id: "<id>", level: Critical, corr: A, msg: "Error loading and running event receiver Contoso.Lists.ItemReceiver in Contoso.Lists, Version=1.0.0.0, Culture=neutral. Additional information is below.  : Could not load file or assembly 'Contoso.Lists, Version=1.0.0.0, Culture=neutral, PublicKeyToken=0a1b2c3d4e5f6071' or one of its dependencies."}
    expect:
      - verdict: receiver
        severity: warning
        confidence: likely
        symptoms: {receiver: 1}
        captures: {assembly: Contoso.Lists, version: 1.0.0.0, receiver: Contoso.Lists.ItemReceiver}
  - name: a receiver of a feature, which is named before its assembly's failure
    uls:
      - {t: "10:00:00.00", id: acq1a, level: High, category: Feature Infrastructure, corr: A, msg: "Feature receiver assembly 'Contoso.Lists, Version=1.0.0.0, Culture=neutral', class 'Contoso.Lists.FeatureReceiver', method 'FeatureUninstalling' for feature '0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9' threw an exception: System.ArgumentException: Failed to load receiver assembly: System.IO.FileNotFoundException: Could not load file or assembly 'Contoso.Lists, Version=1.0.0.0, Culture=neutral, PublicKeyToken=0a1b2c3d4e5f6071' or one of its dependencies."}
    expect: [{verdict: receiver, captures: {assembly: Contoso.Lists, version: 1.0.0.0, receiver: Contoso.Lists.FeatureReceiver}}]
  - name: a receiver without a version
    uls:
      - {t: "10:00:00.00", id: acq1a, level: High, corr: A, msg: "Could not load file or assembly 'Contoso.Lists' or one of its dependencies."}
    expect: [{verdict: receiver, captures: {assembly: Contoso.Lists}}]
  - name: another version is there
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, msg: "System.IO.FileLoadException: Could not load file or assembly 'Contoso.Json, Version=4.5.0.0, Culture=neutral' or one of its dependencies. (Exception from HRESULT: 0x80131040)"}
      - {t: "10:00:01.00", id: tkau, level: Unexpected, corr: B, msg: "System.IO.FileLoadException: Could not load file or assembly 'Contoso.Xml' or one of its dependencies. (Exception from HRESULT: 0x80131040)"}
    expect:
      - {verdict: other-version, severity: warning, confidence: likely, symptoms: {other_version: 1}, captures: {assembly: Contoso.Json, version: 4.5.0.0}}
      - {verdict: other-version, symptoms: {other_version: 1}, captures: {assembly: Contoso.Xml}}
  - name: elsewhere, with and without a version
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, msg: "System.IO.FileNotFoundException: Could not load file or assembly 'Contoso.Json, Version=4.5.0.0, Culture=neutral' or one of its dependencies."}
      - {t: "10:00:01.00", id: zq1a, level: Unexpected, corr: A, msg: "System.IO.FileNotFoundException: Could not load file or assembly 'Contoso.Xml' or one of its dependencies."}
    expect:
      - {verdict: elsewhere, severity: warning, confidence: likely, symptoms: {elsewhere: 1}, captures: {assembly: Contoso.Json, version: 4.5.0.0}}
      - {verdict: elsewhere, symptoms: {elsewhere: 1}, captures: {assembly: Contoso.Xml}}
  - name: one assembly in all rows, the other version comes first
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, msg: "Could not load file or assembly 'C.X' (0x80131040)"}
      - {t: "10:00:01.00", id: 8nca, corr: A, msg: "Could not load file or assembly 'C.X'"}
      - {t: "10:00:02.00", id: acq1a, level: High, corr: A, msg: "Could not load file or assembly 'C.X'"}
      - {t: "10:00:03.00", id: zq1a, level: High, corr: A, msg: "FileNotFoundException: Could not load file or assembly 'C.X'"}
      - {t: "10:00:09.00", id: zq1a, level: High, corr: A, msg: "FileNotFoundException: Could not load file or assembly 'C.X'    at Microsoft.Office.Web.Common.WatchdogHelperThreadManager.GetHealthResults(WatchdogExecutionContext context, ServiceInstance si)"}
    expect: [{verdict: other-version, symptoms: {page: 1, receiver: 1, other_version: 1, watchdog: 1, elsewhere: 1}}]
  - name: one assembly, the page comes before the receiver
    uls:
      - {t: "10:00:01.00", id: 8nca, corr: A, msg: "Could not load file or assembly 'C.X'"}
      - {t: "10:00:02.00", id: acq1a, level: High, corr: A, msg: "Could not load file or assembly 'C.X'"}
      - {t: "10:00:03.00", id: zq1a, level: High, corr: A, msg: "FileNotFoundException: Could not load file or assembly 'C.X'"}
      - {t: "10:00:09.00", id: zq1a, level: High, corr: A, msg: "FileNotFoundException: Could not load file or assembly 'C.X'    at Microsoft.Office.Web.Common.WatchdogHelperThreadManager.GetHealthResults(WatchdogExecutionContext context, ServiceInstance si)"}
    expect: [{verdict: page, symptoms: {page: 1, receiver: 1, watchdog: 1, elsewhere: 1}}]
  - name: one assembly, the receiver comes before the rest
    uls:
      - {t: "10:00:02.00", id: acq1a, level: High, corr: A, msg: "Could not load file or assembly 'C.X'"}
      - {t: "10:00:03.00", id: zq1a, level: High, corr: A, msg: "FileNotFoundException: Could not load file or assembly 'C.X'"}
      - {t: "10:00:09.00", id: zq1a, level: High, corr: A, msg: "FileNotFoundException: Could not load file or assembly 'C.X'    at Microsoft.Office.Web.Common.WatchdogHelperThreadManager.GetHealthResults(WatchdogExecutionContext context, ServiceInstance si)"}
    expect: [{verdict: receiver, symptoms: {receiver: 1, watchdog: 1, elsewhere: 1}}]
  - name: a watchdog of Office Online Server, by each sign of a missing file
    each: {sign: ["System.IO.FileNotFoundException:", "The system cannot find the file specified."]}
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, msg: "An exception occurred during a watchdog callback. <sign> Could not load file or assembly 'Contoso.Json, Version=4.5.0.0, Culture=neutral' or one of its dependencies.    at Microsoft.Office.Web.RtcWatchdog.RtcWatchdog.CheckServiceInstance(ServiceInstance instance)     at Microsoft.Office.Web.Common.WatchdogHelperThreadManager.GetHealthResults(WatchdogExecutionContext context, ServiceInstance si)"}
      - {t: "10:00:01.00", id: zq1a, level: Unexpected, corr: A, msg: "An exception occurred during a watchdog callback. <sign> Could not load file or assembly 'Contoso.Xml' or one of its dependencies.    at Microsoft.Office.Web.RtcWatchdog.RtcWatchdog.CheckServiceInstance(ServiceInstance instance)     at Microsoft.Office.Web.Common.WatchdogHelperThreadManager.GetHealthResults(WatchdogExecutionContext context, ServiceInstance si)"}
      - {t: "10:00:02.00", id: zq1a, level: High, corr: B, msg: "<sign> Could not load file or assembly 'Contoso.Xml' or one of its dependencies."}
    expect:
      - verdict: watchdog
        severity: warning
        confidence: likely
        symptoms: {watchdog: 1}
        captures: {assembly: Contoso.Json, version: 4.5.0.0}
        message: "A watchdog of Office Online Server did not find assembly Contoso.Json (version 4.5.0.0), or one that it needs. Mostly the server has another version of it, and the configuration file of the program has no bindingRedirect to that."
      - {verdict: watchdog, symptoms: {watchdog: 1, elsewhere: 1}, captures: {assembly: Contoso.Xml}}
  - name: NEAR MISS a watchdog, below High, of texts and serializers, or of something else
    each: {text: ["'C.X.resources, Version=4.5.0.0, Culture=de'", "'C.X.XmlSerializers, Version=4.5.0.0'"]}
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, msg: "System.IO.FileNotFoundException: Could not load file or assembly <text> or one of its dependencies.    at Microsoft.Office.Web.RtcWatchdog.RtcWatchdog.CheckServiceInstance(ServiceInstance instance)     at Microsoft.Office.Web.Common.WatchdogHelperThreadManager.GetHealthResults(WatchdogExecutionContext context, ServiceInstance si)"}
      - {t: "10:00:01.00", id: zq1a, level: Medium, corr: A, msg: "System.IO.FileNotFoundException: Could not load file or assembly 'C.X'.    at Microsoft.Office.Web.RtcWatchdog.RtcWatchdog.CheckServiceInstance(ServiceInstance instance)     at Microsoft.Office.Web.Common.WatchdogHelperThreadManager.GetHealthResults(WatchdogExecutionContext context, ServiceInstance si)"}
      - {t: "10:00:02.00", id: zq1a, level: High, corr: A, msg: "System.IO.FileNotFoundException: Could not find file 'C.X'.    at Microsoft.Office.Web.RtcWatchdog.RtcWatchdog.CheckServiceInstance(ServiceInstance instance)     at Microsoft.Office.Web.Common.WatchdogHelperThreadManager.GetHealthResults(WatchdogExecutionContext context, ServiceInstance si)"}
      - {t: "10:00:03.00", id: zq1a, level: High, corr: A, msg: "System.BadImageFormatException: Could not load file or assembly 'C.X'.    at Microsoft.Office.Web.RtcWatchdog.RtcWatchdog.CheckServiceInstance(ServiceInstance instance)     at Microsoft.Office.Web.Common.WatchdogHelperThreadManager.GetHealthResults(WatchdogExecutionContext context, ServiceInstance si)"}
    expect: []
  - name: NEAR MISS a watchdog finds another version, with the type of a missing file
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, msg: "System.IO.FileNotFoundException: Could not load file or assembly 'C.X' (0x80131040)    at Microsoft.Office.Web.Common.WatchdogHelperThreadManager.GetHealthResults(WatchdogExecutionContext context, ServiceInstance si)"}
    expect: [{verdict: other-version, symptoms: {other_version: 1}}]
  - name: NEAR MISS another program has the words of a watchdog
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, msg: "An exception occurred during a watchdog callback. System.IO.FileNotFoundException: Could not load file or assembly 'C.X'.    at Contoso.WatchdogHelper.Run()"}
    expect: [{verdict: elsewhere, symptoms: {elsewhere: 1}}]
  - name: a timer job tells only the sentence
    uls:
      - {t: "10:00:00.00", id: zq1a, level: Unexpected, corr: A, msg: "An error occurred while logging the history for timer job (job-x): Could not load file or assembly 'Contoso.Json, Version=4.5.0.0, Culture=neutral, PublicKeyToken=0a1b2c3d4e5f6071' or one of its dependencies. The system cannot find the file specified."}
    expect: [{verdict: elsewhere, captures: {assembly: Contoso.Json, version: 4.5.0.0}}]
  - name: the token service does not find the assembly of a claim provider
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, msg: "STS Call: Failed to issue new security token. Exception: System.IO.FileNotFoundException: Could not load file or assembly 'Contoso.Claims, Version=1.0.0.0, Culture=neutral, PublicKeyToken=0a1b2c3d4e5f6071' or one of its dependencies. The system cannot find the file specified."}
      - {t: "10:00:01.00", id: 8nca, corr: B, msg: "Error=Could not load file or assembly 'Contoso.Claims' or one of its dependencies."}
    expect:
      - verdict: token
        severity: error
        confidence: likely
        symptoms: {token: 1, page: 1}
        captures: {assembly: Contoso.Claims, version: 1.0.0.0}
        message: "The Security Token Service issues no token because it cannot load assembly Contoso.Claims (version 1.0.0.0), or one that it needs. Mostly it is of a claim provider that is still registered in the farm, and its solution was retracted or is not on this server."
  - name: the token service names an assembly without its version
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, msg: "STS Call: Failed to issue new security token. Exception: System.IO.FileNotFoundException: Could not load file or assembly 'Contoso.Claims' or one of its dependencies."}
      - {t: "10:00:01.00", id: zq1a, level: High, corr: B, msg: "STS Call: Failed to issue new security token. Could not load file or assembly 'Contoso.Names' or one of its dependencies. The system cannot find the file specified."}
    expect:
      - {verdict: token, symptoms: {token: 1}, captures: {assembly: Contoso.Claims}}
      - {verdict: token, symptoms: {token: 1}, captures: {assembly: Contoso.Names}}
  - name: the token service finds another version of an assembly
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, msg: "STS Call: Failed to issue new security token. Exception: System.IO.FileLoadException: Could not load file or assembly 'Contoso.Json, Version=4.5.0.0, Culture=neutral' or one of its dependencies. (Exception from HRESULT: 0x80131040)"}
    expect: [{verdict: other-version, symptoms: {other_version: 1}}]
  - name: NEAR MISS the token service finds another version, with the type of a missing file
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, msg: "Failed to issue new security token. FileNotFoundException, then Could not load file or assembly 'C.X' (0x80131040)"}
    expect: [{verdict: other-version, symptoms: {other_version: 1}}]
  - name: one assembly, the other version comes before the token
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, msg: "Could not load file or assembly 'C.X' (0x80131040)"}
      - {t: "10:00:01.00", id: zq1a, level: High, corr: A, msg: "Failed to issue new security token. FileNotFoundException: Could not load file or assembly 'C.X'"}
    expect: [{verdict: other-version, symptoms: {token: 1, other_version: 1}}]
  - name: one assembly, the token comes before the receiver and the rest
    uls:
      - {t: "09:59:00.00", id: zq1a, level: High, corr: A, msg: "FileNotFoundException: Could not load file or assembly 'C.X'"}
      - {t: "10:00:00.00", id: acq1a, level: High, corr: A, msg: "Could not load file or assembly 'C.X'"}
      - {t: "10:00:01.00", id: zq1a, level: High, corr: A, msg: "Failed to issue new security token. FileNotFoundException: Could not load file or assembly 'C.X'"}
      - {t: "10:00:09.00", id: zq1a, level: High, corr: A, msg: "FileNotFoundException: Could not load file or assembly 'C.X'    at Microsoft.Office.Web.Common.WatchdogHelperThreadManager.GetHealthResults(WatchdogExecutionContext context, ServiceInstance si)"}
    expect: [{verdict: token, symptoms: {token: 1, receiver: 1, watchdog: 1, elsewhere: 1}}]
  - name: NEAR MISS the token service, below High, of texts and serializers, or of something else
    uls:
      - {t: "10:00:00.00", id: zq1a, level: Medium, corr: A, msg: "Failed to issue new security token. FileNotFoundException: Could not load file or assembly 'C.X'"}
      - {t: "10:00:01.00", id: zq1a, level: High, corr: A, msg: "Failed to issue new security token. FileNotFoundException: Could not load file or assembly 'C.X.resources, Version=1.0.0.0'"}
      - {t: "10:00:02.00", id: zq1a, level: High, corr: A, msg: "Failed to issue new security token. FileNotFoundException: Could not load file or assembly 'C.X.XmlSerializers, Version=1.0.0.0'"}
      - {t: "10:00:03.00", id: zq1a, level: High, corr: A, msg: "Failed to issue new security token. FileNotFoundException: The user is not known."}
      - {t: "10:00:04.00", id: zq1a, level: High, corr: A, msg: "Failed to issue new security token. Could not load file or assembly 'C.X' (another exception)"}
      - {t: "10:00:05.00", id: zq1a, level: High, corr: A, msg: "Failed to issue new security token. FileNotFoundException, then Could not load file or assembly 'C.X.resources, Version=1.0.0.0'"}
    expect: []
  - name: a message alone
    paste: |
      System.IO.FileNotFoundException: Could not load file or assembly 'Contoso.Json, Version=4.5.0.0, Culture=neutral, PublicKeyToken=0a1b2c3d4e5f6071' or one of its dependencies. The system cannot find the file specified.
    expect: [{verdict: elsewhere, captures: {assembly: Contoso.Json}}]
  - name: NEAR MISS texts of a language and serializers are not found
    each:
      id: [8nca, acq1a, zq1a]
      kind: [resources, XmlSerializers]
    uls:
      - {t: "10:00:00.00", id: "<id>", level: High, corr: A, msg: "System.IO.FileNotFoundException: Could not load file or assembly 'Contoso.Json.<kind>, Version=4.5.0.0, Culture=de' or one of its dependencies."}
    expect: []
  - name: NEAR MISS another version, in the rows of a page and of a receiver
    each: {id: [8nca, acq1a]}
    uls:
      - {t: "10:00:00.00", id: "<id>", level: Medium, corr: A, msg: "Could not load file or assembly 'C.X' (0x80131040)"}
    expect: []
  - name: NEAR MISS another version, with the type of a missing file
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, msg: "FileNotFoundException, then Could not load file or assembly 'C.X' (0x80131040)"}
    expect: [{verdict: other-version, symptoms: {other_version: 1}}]
  - name: NEAR MISS another exception of a page and of a receiver
    each: {id: [8nca, acq1a]}
    uls:
      - {t: "10:00:00.00", id: "<id>", level: High, corr: A, msg: "Error=Value cannot be null. Parameter name: file or assembly 'x'"}
    expect: []
  - name: NEAR MISS elsewhere, in part and below High
    uls:
      - {t: "10:00:00.00", id: zq1a, level: Medium, corr: A, msg: "System.IO.FileNotFoundException: Could not load file or assembly 'C.X'. 0x80131040"}
      - {t: "10:00:00.50", id: zq1a, level: Medium, corr: A, msg: "System.IO.FileNotFoundException: Could not load file or assembly 'C.X'."}
      - {t: "10:00:01.00", id: zq1a, level: High, corr: A, msg: "Help: Could not load file or assembly 'C.X'."}
      - {t: "10:00:02.00", id: zq1a, level: High, corr: A, msg: "System.IO.FileNotFoundException: the file or assembly 'a.txt'."}
      - {t: "10:00:03.00", id: zq1a, level: High, corr: A, msg: "The code 0x80131040 alone"}
    expect: []
  - name: PASS an assembly is loaded
    uls:
      - {t: "10:00:00.00", id: zq1a, category: Topology, msg: "Assembly Contoso.Budget was loaded."}
    expect: []
  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1110_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1110
tests:
  - name: the host controller may not listen, and all else fails
    uls:
      - {t: "10:00:00.00", id: ad5eq, level: Unexpected, area: Search, category: Search HostController, process: hostcontrollerservice.exe, msg: "WcfService: Got CommunicationException out when trying to open the HostController servicehost. Shutting down process. - exception: System.ServiceModel.CommunicationException: The service endpoint failed to listen on the URI 'net.tcp://localhost/ceres/hostcontroller/' because access was denied.  Verify that the current user is granted access in the appropriate allowAccounts section of SMSvcHost.exe.config."}
      - {t: "10:00:01.00", times: 3, every: 1s, id: zq1a, level: High, category: Query, msg: "System.ServiceModel.EndpointNotFoundException: net.tcp://app01/0A1B2C/QueryProcessingComponent1/ImsQueryInternal"}
      - {t: "10:00:11.00", times: 3, every: 1s, id: zq1a, level: High, category: Query, msg: "System.ServiceModel.EndpointNotFoundException: There was no endpoint listening at http://app01:32843/0a1b2c3d/SearchService.svc"}
    expect:
      - {verdict: host-controller-refused, severity: error, confidence: likely, symptoms: {listener: 1, query: 3, service: 3}}
  - name: queries are not answered, and the web service once
    uls:
      - {t: "10:00:01.00", times: 3, every: 2m, id: zq1a, level: High, category: Query, msg: "System.ServiceModel.EndpointNotFoundException: Keine Verbindung mit net.tcp://app01/0A1B2C/QueryProcessingComponent1/ImsQueryInternal"}
      - {t: "10:00:11.00", times: 3, every: 1s, id: zq1a, level: High, category: Query, msg: "System.ServiceModel.EndpointNotFoundException: There was no endpoint listening at http://app01:32843/0a1b2c3d/SearchService.svc"}
    expect:
      - {verdict: query-component-not-reached, severity: error, confidence: likely, symptoms: {query: 3, service: 3}, captures: {host: app01}, message: "Calls find no endpoint of the query processing component at app01, again and again. Mostly it is stopped, or its port is closed."}
  - name: the web service is not there, each address, with and without TLS
    each:
      path: [/SearchService.svc, /SearchAdmin.svc]
      scheme: [http, https]
    uls:
      - {t: "10:00:01.00", times: 3, every: 2m, id: zq1a, level: High, category: Query, msg: "System.ServiceModel.EndpointNotFoundException: There was no endpoint listening at <scheme>://app01:32843/0a1b2c3d<path> that could accept the message."}
    expect: [{verdict: service-not-reached, severity: error, confidence: likely, symptoms: {service: 3}, captures: {host: "app01:32843"}}]
  - name: the web service is not there, pages of which only 8nca is in the log
    each:
      path: [/SearchService.svc, /SearchAdmin.svc]
      scheme: [http, https]
    uls:
      - {t: "10:00:01.00", times: 3, every: 2m, id: 8nca, corr: "R<n>", msg: "Application error when access /search, Error=There was no endpoint listening at <scheme>://app01:32843/0a1b2c3d<path> that could accept the message."}
      - {t: "10:00:02.00", id: zq1a, level: High, category: Query, msg: "System.ServiceModel.EndpointNotFoundException: QueryProcessingComponent1"}
    expect: [{verdict: service-not-reached, symptoms: {service: 3, query: 1}, captures: {host: "app01:32843"}}]
  - name: a page fails once, and the generic rule says nothing of it
    with: [FS1002]
    uls:
      - {t: "10:00:01.00", id: 8nca, corr: A, msg: "Application error when access /search, Error=There was no endpoint listening at http://app01:32843/0a1b2c3d/SearchService.svc"}
      - {t: "10:00:01.01", id: tkau, level: Unexpected, category: Runtime, corr: A, msg: "System.ServiceModel.EndpointNotFoundException: There was no endpoint listening at http://app01:32843/0a1b2c3d/SearchService.svc"}
    expect: [{verdict: now-and-then, severity: warning, confidence: likely, symptoms: {service: 2}}]
  - name: NEAR MISS each kind now and then, and over an hour
    each: {address: [QueryProcessingComponent1, /SearchService.svc]}
    uls:
      - {t: "10:00:01.00", times: 2, every: 2m, id: zq1a, level: High, category: Query, msg: "System.ServiceModel.EndpointNotFoundException: <address>"}
      - {t: "12:00:01.00", times: 3, every: 30m, id: zq1a, level: High, category: Query, msg: "System.ServiceModel.EndpointNotFoundException: <address>"}
    expect: [{verdict: now-and-then, severity: warning, count: 5}]
  - name: NEAR MISS a component is gone for a moment
    uls:
      - {t: "10:00:01.00", id: zq1a, level: High, category: Query, msg: "System.ServiceModel.EndpointNotFoundException: net.tcp://app01/0A1B2C/QueryProcessingComponent1"}
    expect: [{verdict: now-and-then, symptoms: {query: 1}}]
  - name: NEAR MISS the web service is gone for a moment
    uls:
      - {t: "10:00:01.00", id: zq1a, level: High, category: Query, msg: "System.ServiceModel.EndpointNotFoundException: http://app01:32843/0a1b2c3d/SearchService.svc"}
    expect: [{verdict: now-and-then, symptoms: {service: 1}}]
  - name: NEAR MISS another service, another exception, and below High
    uls:
      - {t: "10:00:01.00", id: zq1a, level: High, category: Topology, msg: "System.ServiceModel.EndpointNotFoundException: There was no endpoint listening at http://app01:32843/0a1b2c3d/ProfilePropertyService.svc"}
      - {t: "10:00:02.00", id: zq1a, level: High, category: Query, msg: "System.TimeoutException: http://app01:32843/0a1b2c3d/SearchService.svc and QueryProcessingComponent1"}
      - {t: "10:00:03.00", id: zq1a, level: Medium, category: Query, msg: "Retry after EndpointNotFoundException: http://app01:32843/0a1b2c3d/SearchService.svc"}
      - {t: "10:00:04.00", id: zq1a, level: Medium, category: Query, msg: "Retry after EndpointNotFoundException: QueryProcessingComponent1"}
      - {t: "10:00:05.00", id: 8nca, corr: A, msg: "Application error when access /a.aspx, Error=Value cannot be null."}
    expect: []
  - name: NEAR MISS the host controller fails otherwise, and another row names the file
    uls:
      - {t: "10:00:00.00", id: ad5eq, level: Unexpected, category: Search HostController, msg: "WcfService: failed to listen on the URI 'net.tcp://localhost/ceres/hostcontroller/' because it is in use."}
      - {t: "10:00:01.00", id: ad5eq, level: Unexpected, category: Search HostController, msg: "WcfService: see SMSvcHost.exe.config"}
      - {t: "10:00:02.00", id: zq1a, level: Unexpected, category: Contoso, msg: "net.tcp://localhost/ceres/hostcontroller/ SMSvcHost.exe.config"}
    expect: []
  - name: PASS a query is answered
    uls:
      - {t: "10:00:00.00", id: zq1a, category: Query, msg: "Completed query execution."}
    expect: []
  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1111_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1111
tests:
  - name: the handshake fails, in each form
    each: {text: ["The request was aborted: Could not create SSL/TLS secure channel.", "The underlying connection was closed: An unexpected error occurred on a send.", "The client and server cannot communicate, because they do not possess a common algorithm"]}
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, msg: "System.Net.WebException: <text>     at System.Net.HttpWebRequest.GetResponse()"}
    expect: [{verdict: handshake, severity: warning, confidence: likely, symptoms: {handshake: 1}}]
  - name: the certificate is not trusted
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, msg: "System.Net.WebException: The underlying connection was closed: Could not establish trust relationship for the SSL/TLS secure channel."}
    expect: [{verdict: untrusted, severity: warning, confidence: likely, symptoms: {untrusted: 1}}]
  - name: the name is not found
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, msg: "System.Net.WebException: The remote name could not be resolved: 'feeds.contoso.com'"}
    expect: [{verdict: name, severity: warning, confidence: likely, symptoms: {name: 1}, captures: {host: feeds.contoso.com}, message: "Outgoing calls fail because the name feeds.contoso.com could not be resolved on the server that wrote the row."}]
  - name: a proxy wants a user
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, msg: "System.Net.WebException: The remote server returned an error: (407) Proxy Authentication Required."}
    expect: [{verdict: proxy, severity: warning, confidence: likely, symptoms: {proxy: 1}}]
  - name: nobody answers, or refuses
    each: {text: ["No connection could be made because the target machine actively refused it", "A connection attempt failed because the connected party did not properly respond after a period of time, or established connection failed because connected host has failed to respond"]}
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, msg: "System.Net.WebException: Unable to connect to the remote server ---> System.Net.Sockets.SocketException: <text> 10.0.0.7:443"}
    expect: [{verdict: closed, severity: warning, confidence: likely, symptoms: {closed: 1}, captures: {address: 10.0.0.7}}]
  - name: all kinds, the proxy comes first
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, msg: "System.Net.WebException: (407)"}
      - {t: "10:00:01.00", id: zq1a, level: High, msg: "System.Net.WebException: Could not establish trust relationship for the SSL/TLS secure channel"}
      - {t: "10:00:02.00", id: zq1a, level: High, msg: "System.Net.WebException: Could not create SSL/TLS secure channel"}
      - {t: "10:00:03.00", id: zq1a, level: High, msg: "System.Net.WebException: The remote name could not be resolved: 'a'"}
      - {t: "10:00:04.00", id: zq1a, level: High, msg: "System.Net.WebException: Unable to connect to the remote server"}
    expect: [{verdict: proxy, symptoms: {proxy: 1, untrusted: 1, handshake: 1, name: 1, closed: 1}}]
  - name: the certificate comes before the handshake
    uls:
      - {t: "10:00:01.00", id: zq1a, level: High, msg: "System.Net.WebException: Could not establish trust relationship for the SSL/TLS secure channel"}
      - {t: "10:00:02.00", id: zq1a, level: High, msg: "System.Net.WebException: Could not create SSL/TLS secure channel"}
      - {t: "10:00:03.00", id: zq1a, level: High, msg: "System.Net.WebException: The remote name could not be resolved: 'a'"}
      - {t: "10:00:04.00", id: zq1a, level: High, msg: "System.Net.WebException: Unable to connect to the remote server"}
    expect: [{verdict: untrusted, symptoms: {untrusted: 1, handshake: 1, name: 1, closed: 1}}]
  - name: the handshake comes before the name, with the rest
    uls:
      - {t: "10:00:02.00", id: zq1a, level: High, msg: "System.Net.WebException: Could not create SSL/TLS secure channel"}
      - {t: "10:00:03.00", id: zq1a, level: High, msg: "System.Net.WebException: The remote name could not be resolved: 'a'"}
      - {t: "10:00:04.00", id: zq1a, level: High, msg: "System.Net.WebException: Unable to connect to the remote server"}
    expect: [{verdict: handshake, symptoms: {handshake: 1, name: 1, closed: 1}}]
  - name: the name comes before the address
    uls:
      - {t: "10:00:03.00", id: zq1a, level: High, msg: "System.Net.WebException: The remote name could not be resolved: 'a'"}
      - {t: "10:00:04.00", id: zq1a, level: High, msg: "System.Net.WebException: Unable to connect to the remote server"}
    expect: [{verdict: name, symptoms: {name: 1, closed: 1}}]
  - name: the generic rule says nothing of a page
    with: [FS1002]
    uls:
      - {t: "10:00:00.01", id: tkau, level: Unexpected, category: Runtime, corr: A, msg: "System.Net.WebException: The remote name could not be resolved: 'a'"}
    expect: [{rule: FS1111, verdict: name}]
  - name: NEAR MISS each text without the exception, and below High
    each: {text: ["(407)", Could not establish trust relationship for the SSL/TLS secure channel, Could not create SSL/TLS secure channel, The remote name could not be resolved, Unable to connect to the remote server]}
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, msg: "The help text says: <text>"}
      - {t: "10:00:01.00", id: zq1a, level: Medium, msg: "Retry after System.Net.WebException: <text>"}
    expect: []
  - name: NEAR MISS the other side answers with an error
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, msg: "System.Net.WebException: The remote server returned an error: (404) Not Found."}
    expect: []
  - name: NEAR MISS the other side takes too long
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, msg: "System.Net.WebException: The operation has timed out"}
    expect: []
  - name: NEAR MISS SQL Server is not reached
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, category: Database, msg: "System.Data.SqlClient.SqlException: A network-related or instance-specific error occurred."}
    expect: []
  - name: NEAR MISS a connection is cut while data comes
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, msg: "System.IO.IOException: Unable to read data from the transport connection"}
    expect: []
  - name: PASS a call succeeds
    uls:
      - {t: "10:00:00.00", id: zq1a, msg: "Call completed."}
    expect: []
  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1113_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1113
tests:
  - name: a transaction log is full, in each row
    each:
      row: ["5586 Critical Unknown SQL Exception 9002 occurred.", "zq1a High System.Data.SqlClient.SqlException:"]
    paste: |
      03/02/2026 10:00:00.00 w3wp.exe (0x1A2C) 0x0A10 SharePoint Foundation Database <row> The transaction log for database 'WSS_Content' is full due to 'LOG_BACKUP'.
      03/02/2026 10:00:01.00 w3wp.exe (0x1A2C) 0x0A10 SharePoint Foundation Database zq1a Medium The transaction log for database 'WSS_Content' is full.
    expect:
      - {verdict: transaction-log-full, severity: error, confidence: likely, symptoms: {log_full: 1}}
  - name: a transaction log is full, and the database is named
    each: {id: ["5586", zq1a]}
    uls:
      - {t: "10:00:00.00", id: "<id>", level: High, corr: A, msg: "Unknown SQL Exception 9002 occurred. System.Data.SqlClient.SqlException: The transaction log for database 'WSS_Content' is full. x"}
    expect: [{verdict: transaction-log-full, captures: {database: WSS_Content}, message: "The transaction log of database WSS_Content is full (9002): changes cannot be saved there."}]
  - name: a transaction log is full, number only, and the rest
    uls:
      - {t: "10:00:00.00", id: "5586", level: Critical, corr: A, msg: "Unknown SQL Exception 9002 occurred. Das Transaktionsprotokoll ist voll."}
      - {t: "10:00:01.00", id: tzkx, level: High, category: Database, corr: A, msg: "SqlError: 'x' Number: 9002 State: 4 Class: 17 Procedure: ''"}
      - {t: "10:00:02.00", id: "5586", level: Critical, corr: A, msg: "Unknown SQL Exception 1105 occurred. Speicher."}
      - {t: "10:00:03.00", id: zq1a, level: High, corr: A, msg: "Fehler (0x80070070)"}
    expect: [{verdict: transaction-log-full, symptoms: {log_full: 2, file_full: 1, disk_full: 1}}]
  - name: a database cannot grow, in each row
    each: {id: ["5586", zq1a]}
    uls:
      - {t: "10:00:00.00", id: "<id>", level: High, corr: A, msg: "Unknown SQL Exception 1105 occurred. System.Data.SqlClient.SqlException: Could not allocate space for object 'dbo.Docs' in database 'WSS_Content' because the 'PRIMARY' filegroup is full."}
      - {t: "10:00:03.00", id: zq1a, level: High, corr: A, msg: "Fehler (0x80070070)"}
    expect: [{verdict: database-file-full, severity: error, confidence: likely, symptoms: {file_full: 1, disk_full: 1}, captures: {database: WSS_Content}}]
  - name: the rows of SQL Server's errors
    each: {number: [9002, 1105]}
    uls:
      - {t: "10:00:01.00", id: tzkx, level: High, category: Database, corr: A, msg: "SqlError: 'x' Number: <number> State: 4 Class: 17 Procedure: ''"}
    expect: [{severity: error, count: 1}]
  - name: without the text of the number, one row of each
    uls:
      - {t: "10:00:00.00", id: "5586", level: Critical, corr: A, msg: "Unknown SQL Exception 1105 occurred. Speicher."}
    expect: [{verdict: database-file-full, symptoms: {file_full: 1}}]
  - name: the event names the database without a type of .NET
    each:
      text: ["9002 occurred. The transaction log for database 'E' is full.", "1105 occurred. Could not allocate space for object 'dbo.Docs' in database 'E' because the 'PRIMARY' filegroup is full."]
    uls:
      - {t: "10:00:00.00", id: "5586", level: Critical, corr: A, msg: "Unknown SQL Exception <text>"}
    expect: [{severity: error, captures: {database: E}}]
  - name: words alone, of each kind
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, msg: "System.Data.SqlClient.SqlException: Could not allocate space for object 'dbo.Docs' in database 'D' because the 'PRIMARY' filegroup is full."}
      - {t: "10:00:01.00", id: zq1a, level: High, corr: A, msg: "System.Data.SqlClient.SqlException: The transaction log for database 'E' is full."}
    expect: [{verdict: transaction-log-full, symptoms: {log_full: 1, file_full: 1}}]
  - name: a disk is full, by number and in words
    each: {text: ["Fehler (0x80070070)", "System.IO.IOException: There is not enough space on the disk."]}
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, msg: "<text>"}
    expect: [{verdict: disk-full, severity: error, confidence: likely, symptoms: {disk_full: 1}}]
  - name: the generic rule says nothing of a page
    with: [FS1002]
    uls:
      - {t: "10:00:00.01", id: tkau, level: Unexpected, category: Runtime, corr: A, msg: "System.Data.SqlClient.SqlException: The transaction log for database 'WSS_Content' is full."}
    expect: [{rule: FS1113, verdict: transaction-log-full}]
  - name: NEAR MISS other numbers, other events, other categories
    uls:
      - {t: "10:00:00.00", id: "5586", level: Critical, msg: "Unknown SQL Exception 90020 occurred, SQL Exception 11051 too."}
      - {t: "10:00:01.00", id: "5587", level: Critical, msg: "SQL Exception 9002 , SQL Exception 1105 ."}
      - {t: "10:00:02.00", id: tzkx, level: High, category: Contoso, msg: "Number: 9002 State: 4 Class: 17, Number: 1105 State: 4 Class: 17"}
      - {t: "10:00:03.00", id: tzkx, level: Medium, category: Database, msg: "Number: 9002 State: 4 Class: 17, Number: 1105 State: 4 Class: 17"}
      - {t: "10:00:04.00", id: tzkx, level: High, category: Database, msg: "Number: 1205 State: 4 Class: 17"}
    expect: []
  - name: NEAR MISS the words in part, and below High
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, msg: "The ticket says: The transaction log for database 'D' is full. Could not allocate space for object 'x' in database 'D'. There is not enough space on the disk."}
      - {t: "10:00:01.00", id: zq1a, level: High, msg: "System.Data.SqlClient.SqlException: Timeout expired."}
      - {t: "10:00:02.00", id: zq1a, level: High, msg: "System.IO.IOException: The process cannot access the file."}
      - {t: "10:00:03.00", id: zq1a, level: Medium, msg: "SqlException handled: The transaction log for database 'D' is full. Could not allocate space for object 'x'. System.IO.IOException: There is not enough space on the disk"}
      - {t: "10:00:04.00", id: zq1a, level: Medium, msg: "0x80070070 handled"}
    expect: []
  - name: NEAR MISS the storage of trace logs is at its limit
    uls:
      - {t: "10:00:00.00", id: "8094", level: Warning, category: Tracing Controller Service, msg: "Trace logs are reaching to the configured storage limit (5)."}
    expect: []
  - name: PASS an item is saved
    uls:
      - {t: "10:00:00.00", id: zq1a, category: Database, msg: "Item was saved."}
    expect: []
  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1115_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1115
tests:
  - name: throttling begins again and again
    uls:
      - {t: "10:00:00.00", times: 3, every: 25m, id: "8032", level: Critical, category: General, msg: "Http throttling starts because a heavy load was detected on WEB01 portal. The excessive performance counters include: Memory Available Mbytes."}
      - {t: "10:05:00.00", id: "8062", level: Information, category: General, msg: "Http throttling on WEB01 stops because there is no heavy load detected now. 12 requests have been throttled during the throttling period."}
    expect: [{verdict: throttled-often, severity: error, confidence: likely, symptoms: {begins: 3, ends: 1}, captures: {counter: Memory Available Mbytes}, message: "A web server throttles requests again and again because a counter is beyond its limit (Memory Available Mbytes): those of low priority get 503."}]
  - name: throttling ends
    uls:
      - {t: "10:05:00.00", id: "8062", level: Information, category: General, msg: "Http throttling on WEB01 stops because there is no heavy load detected now. 12 requests have been throttled during the throttling period."}
    expect: [{verdict: throttled, severity: warning, confidence: likely, symptoms: {ends: 1}}]
  - name: throttling begins
    uls:
      - {t: "10:05:00.00", id: "8032", level: Critical, category: General, msg: "Http throttling starts."}
    expect: [{verdict: throttled, symptoms: {begins: 1}}]
  - name: NEAR MISS two periods, and three over a day
    uls:
      - {t: "01:00:00.00", times: 2, every: 1m, id: "8032", level: Critical, category: General, msg: "Http throttling starts."}
      - {t: "14:00:00.00", times: 3, every: 3h, id: "8032", level: Critical, category: General, msg: "Http throttling starts."}
    expect: [{verdict: throttled, severity: warning, count: 5}]
  - name: NEAR MISS the sentence in another event
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, msg: "Http throttling starts because a heavy load was detected on WEB01, Http throttling on WEB01 stops."}
    expect: []
  - name: NEAR MISS events of Windows with the same numbers
    uls:
      - {t: "10:00:00.00", id: "8032", level: Error, area: BROWSER, category: None, msg: "The browser service has failed to retrieve the backup list too many times on transport T. The backup browser is stopping."}
      - {t: "10:00:01.00", id: "8062", level: Error, area: Contoso, category: None, msg: "Something else ended."}
    expect: []
  - name: PASS a request is served
    uls:
      - {t: "10:00:00.00", id: xmnv, category: Logging Correlation Data, corr: A, msg: "Name=Request (GET:http://portal.contoso.local:80/)"}
    expect: []
  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1116_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1116
tests:
  - name: an external list asks in the user's name
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, area: Business Connectivity Services, category: Business Data, corr: A, msg: "System.Data.SqlClient.SqlException: Login failed for user 'NT AUTHORITY\\ANONYMOUS LOGON'."}
      - {t: "10:00:01.00", id: "5586", level: Critical, category: Database, corr: B, msg: "Unknown SQL Exception 18456 occurred. Login failed for user 'NT-AUTORITÄT\\ANONYMOUS LOGON'."}
    expect: [{verdict: no-delegation, severity: warning, confidence: likely, symptoms: {anonymous: 2}}]
  - name: once is enough
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, msg: "Login failed for user 'NT AUTHORITY\\ANONYMOUS LOGON'."}
    expect: [{verdict: no-delegation, symptoms: {anonymous: 1}}]
  - name: NEAR MISS milder rows, another account, and other words about it
    uls:
      - {t: "10:00:00.00", id: zq1a, level: Medium, msg: "Login failed for user 'NT AUTHORITY\\ANONYMOUS LOGON'."}
      - {t: "10:00:01.00", id: zq1a, level: High, msg: "Login failed for user 'CONTOSO\\svc'."}
      - {t: "10:00:02.00", id: zq1a, level: High, msg: "The group has the member 'NT AUTHORITY\\ANONYMOUS LOGON'"}
    expect: []
  - name: PASS the user arrives
    uls:
      - {t: "10:00:00.00", id: zq1a, msg: "The connection was opened."}
    expect: []
  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1117_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1117
tests:
  - name: two rows of one request
    uls:
      - {t: "10:00:00.00", times: 2, every: 1s, id: ad5sl, level: Unexpected, category: Claims Authentication, corr: A, msg: "Failed to validate signature."}
      - {t: "10:00:05.00", id: ad5sl, level: Unexpected, category: Claims Authentication, corr: B, msg: "Failed to validate signature."}
    expect: [{verdict: old-signature, severity: warning, confidence: possible, symptoms: {refused: 2}}]
  - name: once is enough
    uls:
      - {t: "10:00:00.00", id: ad5sl, level: Unexpected, category: Claims Authentication, msg: "Failed to validate signature."}
    expect: [{verdict: old-signature, count: 1}]
  - name: NEAR MISS another text of the event, and the text under another event
    uls:
      - {t: "10:00:00.00", id: ad5sl, level: Unexpected, category: Claims Authentication, msg: "The token has no signature."}
      - {t: "10:00:01.00", id: zq1a, level: Unexpected, category: Contoso Documents, msg: "Failed to validate signature of budget.docx."}
    expect: []
  - name: PASS the token is accepted
    uls:
      - {t: "10:00:00.00", id: ad5sm, level: Medium, category: Claims Authentication, msg: "The token is valid."}
    expect: []
  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1118_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1118
tests:
  - name: the row of the profiles, and the one of the token service
    uls:
      - {t: "10:00:00.00", id: ae0sx, level: Medium, area: SharePoint Portal Server, category: User Profiles, corr: A, msg: "Search in the profiles failed: System.ArgumentException: Wert.    bei Microsoft.SharePoint.Administration.Claims.SPIdentityProviders.GetIdentityProviderType(String value)     bei Microsoft.Office.Server.Security.UserProfileIdentityClaimMapper.SearchUsingNameIdOrThrow(UserProfileManager upManager, String nameId, String nameIdIssuer)"}
      - {t: "10:00:01.00", id: zq1a, level: High, category: Claims Authentication, corr: A, msg: "No identity: System.ArgumentException: Value.    at Microsoft.SharePoint.Administration.Claims.SPIdentityProviders.GetIdentityProviderType(String value)     at Microsoft.Office.Server.Security.UserProfileIdentityClaimMapper.GetSingleUserProfileFromClaimsList(UserProfileManager upManager, IEnumerable`1 identityClaims)"}
    expect: [{verdict: no-rule-for-provider, severity: warning, confidence: likely, symptoms: {refused: 1}, count: 1}]
  - name: the row of the profiles alone
    uls:
      - {t: "10:00:00.00", id: ae0sx, level: Medium, corr: A, msg: "at Microsoft.SharePoint.Administration.Claims.SPIdentityProviders.GetIdentityProviderType(String value) at Microsoft.Office.Server.Security.UserProfileIdentityClaimMapper.SearchUsingNameIdOrThrow("}
    expect: [{verdict: no-rule-for-provider, count: 1}]
  - name: two requests
    uls:
      - {t: "10:00:00.00", id: zq1a, level: High, corr: A, msg: "at Microsoft.SharePoint.Administration.Claims.SPIdentityProviders.GetIdentityProviderType(String value) at Microsoft.Office.Server.Security.UserProfileIdentityClaimMapper.SearchUsingNameIdOrThrow("}
      - {t: "10:00:01.00", id: ae0sx, level: Unexpected, corr: B, msg: "at Microsoft.SharePoint.Administration.Claims.SPIdentityProviders.GetIdentityProviderType(String value) at Microsoft.Office.Server.Security.UserProfileIdentityClaimMapper.SearchUsingNameIdOrThrow("}
    expect: [{verdict: no-rule-for-provider, symptoms: {refused: 2}}]
  - name: the page that fails by it is no failure of its own
    with: [FS1002]
    uls:
      - {t: "10:00:00.00", id: tkau, level: Unexpected, category: Runtime, corr: A, msg: "System.ArgumentException: Value.    at Microsoft.SharePoint.Administration.Claims.SPIdentityProviders.GetIdentityProviderType(String value)     at Microsoft.Office.Server.Security.UserProfileIdentityClaimMapper.SearchUsingNameIdOrThrow(UserProfileManager m)"}
    expect: [{verdict: no-rule-for-provider}]
  - name: NEAR MISS each of the frames alone, and both in a milder row
    each: {id: [ae0sx, zq1a]}
    uls:
      - {t: "10:00:00.00", id: "<id>", level: High, msg: "at Microsoft.SharePoint.Administration.Claims.SPIdentityProviders.GetIdentityProviderType(String value)"}
      - {t: "10:00:01.00", id: "<id>", level: High, msg: "at Microsoft.Office.Server.Security.UserProfileIdentityClaimMapper.SearchUsingNameIdOrThrow("}
      - {t: "10:00:02.00", id: zq1b, level: Medium, msg: "at Microsoft.SharePoint.Administration.Claims.SPIdentityProviders.GetIdentityProviderType(String value) at Microsoft.Office.Server.Security.UserProfileIdentityClaimMapper.SearchUsingNameIdOrThrow("}
    expect: []
  - name: PASS a user is mapped
    uls:
      - {t: "10:00:00.00", id: ae0sw, category: User Profiles, msg: "One profile found."}
    expect: []
  - name: NOT EVALUATED only a web.config is given
    web_config: '<configuration><system.web/></configuration>'
    expect: not_evaluated

"""##

private let FS1119_tests = ##"""
schema: fastctl.rule-tests/1
rule: FS1119
tests:
  - name: a request for a token, in each row
    each: {id: [zq1a, 8nca]}
    uls:
      - {t: "10:00:00.00", id: "<id>", level: High, category: Application Authentication, corr: A, msg: "The request for a token failed: Der Remoteserver hat einen Fehler zurückgegeben: (404) Nicht gefunden.    bei Microsoft.SharePoint.IdentityModel.OAuth2.SPOAuth2Client.GetResponse(Uri stsUrl, OAuth2AccessTokenRequest message)"}
      - {t: "10:00:01.00", id: "<id>", level: High, category: Application Authentication, corr: A, msg: "(404) Not Found. at Microsoft.SharePoint.IdentityModel.OAuth2.SPOAuth2Client.GetResponse(Uri stsUrl)"}
      - {t: "10:00:02.00", id: "<id>", level: High, category: Application Authentication, corr: B, msg: "(404) Not Found. at Microsoft.SharePoint.IdentityModel.OAuth2.SPOAuth2Client.GetResponse(Uri stsUrl)"}
    expect: [{verdict: not-found, severity: warning, confidence: possible, symptoms: {not_found: 2}}]
  - name: the row of the page is milder
    uls:
      - {t: "10:00:00.00", id: 8nca, level: Medium, msg: "Application error when access /a.aspx, Error=(404) Not Found. at Microsoft.SharePoint.IdentityModel.OAuth2.SPOAuth2Client.GetResponse(Uri stsUrl)"}
    expect: [{verdict: not-found, count: 1}]
  - name: NEAR MISS another status, another call, a milder row
    each: {id: [zq1a, 8nca]}
    uls:
      - {t: "10:00:00.00", id: "<id>", level: High, msg: "(401) Unauthorized. at Microsoft.SharePoint.IdentityModel.OAuth2.SPOAuth2Client.GetResponse(Uri stsUrl)"}
      - {t: "10:00:01.00", id: "<id>", level: High, msg: "(404) Not Found. at Contoso.Weather.GetResponse(Uri url)"}
      - {t: "10:00:02.00", id: zq1b, level: Medium, msg: "(404) Not Found. at Microsoft.SharePoint.IdentityModel.OAuth2.SPOAuth2Client.GetResponse(Uri stsUrl)"}
    expect: []
  - name: PASS a token came
    uls:
      - {t: "10:00:00.00", id: zq1c, category: Application Authentication, msg: "The token is there."}
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

  - name: NEAR MISS custom code that says what failed
    each: {text: ["Contoso.Portal: template 4 is not valid. An error occured while it was loaded.", "Contoso.Portal failed to load template 4."]}
    uls:
      - {t: "10:00:00.00", id: "0000", level: Unexpected, corr: A, msg: "<text>"}
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
