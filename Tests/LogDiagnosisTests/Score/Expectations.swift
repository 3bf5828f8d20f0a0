/// The expected diagnosis of each published sample, based on the causes that its authors found.
///
/// The columns are the sample, the expectation, and words. *named*: there is a finding of one of these rules.
/// *explained*: one finding or kind of rows has the component, and the code or exception that shows the cause; one word
/// of each part between ` + ` must occur. *silent*: nothing fails, so there is no error. *unsaid*: the cause does not
/// appear in any row, so only a rule that requests more data can help.
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
        033 ; unsaid ; FS1054
        035 ; named ; FS1087
        037 ; named ; FS1037
        038 ; named ; FS1095
        040 ; named ; FS1041
        041 ; named ; FS1043
        043 ; named ; FS1093
        045 ; named ; FS1003
        046 ; named ; FS1068
        048 ; named ; FS1067
        049 ; named ; FS1079
        051 ; silent
        053 ; named ; FS1060
        054 ; named ; FS1056
        055 ; named ; FS1073
        057 ; named ; FS1047
        058 ; silent
        060 ; silent
        062 ; named ; FS1038
        064 ; named ; FS1040
        066 ; named ; FS1108
        067 ; named ; FS1044
        070 ; named ; FS1049
        071 ; named ; FS1006
        072 ; named ; FS1049
        074 ; named ; FS1063
        075 ; named ; FS1017
        081 ; named ; FS1082
        083 ; named ; FS1058
        084 ; named ; FS1098
        085 ; silent
        086 ; named ; FS1054
        """
}
