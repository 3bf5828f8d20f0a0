/// What diagnosis should say of each published sample, from the causes that its authors found.
///
/// Sample, what is expected, and words. *named*: a finding of one of these rules. *explained*: the component, and the code
/// or exception that the cause shows as, of one finding or kind of rows; of each part between ` + `, one word must occur.
/// *silent*: nothing fails, so no error. *unsaid*: the cause is in no row, so only a rule that asks for more can help.
enum Expectations {
    static let table = """
        000 ; named ; FS0101
        000b ; named ; FS0101
        000c ; named ; FS0101
        001 ; explained ; FS1061|ERROR_SHARING_VIOLATION + Tracing
        002 ; silent
        003 ; explained ; FS1035|windows identity|WindowsIdentity + Claims|General
        010 ; named ; FS1018|FS1089
        012 ; named ; FS1091
        014 ; named ; FS1078
        016 ; named ; FS1101
        018 ; explained ; NullReferenceException + AnalysisServices|PowerPivot
        020 ; silent
        031 ; named ; FS1029
        033 ; unsaid ; FS1098
        035 ; named ; FS1087
        037 ; named ; FS1037
        038 ; explained ; FileNotFoundException|FS1038 + Visio
        040 ; explained ; FS1042|Cannot find factory + People picker|WCF|services
        041 ; named ; FS1043
        043 ; named ; FS1093
        045 ; explained ; ArgumentException + Claims
        046 ; named ; FS1068
        048 ; named ; FS1067
        049 ; named ; FS1079
        051 ; silent
        053 ; explained ; ERROR_ACCESS_DENIED|FS1060 + Tracing
        054 ; explained ; Int16|COR_E_OVERFLOW + Timer
        055 ; named ; FS1073
        057 ; named ; FS1047
        058 ; silent
        060 ; silent
        062 ; explained ; 8251|ERROR_DS_LOCAL_ERROR|FS1038 + People picker
        064 ; explained ; ERROR_NONE_MAPPED|FS1040 + Claims|User Profile|identity
        066 ; explained ; Newtonsoft|FS2008 + Office Online
        067 ; explained ; ERROR_DOWNGRADE_DETECTED|domain controller + Managed accounts
        070 ; named ; FS1049
        071 ; explained ; CS0016|FS1006 + temp|TEMP|ASP.NET|compil
        072 ; named ; FS1049
        074 ; named ; FS1063
        075 ; explained ; 1018|ERROR_KEY_DELETED|800703fa|0x800703FA|FS1017 + COM|Excel|PowerPivot|registry
        081 ; named ; FS1082
        083 ; named ; FS1058
        084 ; explained ; FS1099|cross-domain|eq8l + InfoPath
        085 ; silent
        086 ; unsaid ; FS1098
        """
}
