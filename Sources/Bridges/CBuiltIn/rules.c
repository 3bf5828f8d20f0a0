// The rules of Rules. Their tests are not in the program.
#include "CBuiltIn.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const EmbeddedFile rulesFiles[] = {
    {"FS0101.yaml", (const unsigned char[]){
#embed "../../../Rules/FS0101.yaml" suffix(, 0)
    }},
    {"FS0401.yaml", (const unsigned char[]){
#embed "../../../Rules/FS0401.yaml" suffix(, 0)
    }},
    {"FS0402.yaml", (const unsigned char[]){
#embed "../../../Rules/FS0402.yaml" suffix(, 0)
    }},
    {"FS0403.yaml", (const unsigned char[]){
#embed "../../../Rules/FS0403.yaml" suffix(, 0)
    }},
    {"FS0404.yaml", (const unsigned char[]){
#embed "../../../Rules/FS0404.yaml" suffix(, 0)
    }},
    {"FS1002.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1002.yaml" suffix(, 0)
    }},
    {"FS1003.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1003.yaml" suffix(, 0)
    }},
    {"FS1004.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1004.yaml" suffix(, 0)
    }},
    {"FS1006.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1006.yaml" suffix(, 0)
    }},
    {"FS1010.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1010.yaml" suffix(, 0)
    }},
    {"FS1011.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1011.yaml" suffix(, 0)
    }},
    {"FS1015.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1015.yaml" suffix(, 0)
    }},
    {"FS1017.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1017.yaml" suffix(, 0)
    }},
    {"FS1018.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1018.yaml" suffix(, 0)
    }},
    {"FS1020.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1020.yaml" suffix(, 0)
    }},
    {"FS1021.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1021.yaml" suffix(, 0)
    }},
    {"FS1024.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1024.yaml" suffix(, 0)
    }},
    {"FS1026.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1026.yaml" suffix(, 0)
    }},
    {"FS1028.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1028.yaml" suffix(, 0)
    }},
    {"FS1029.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1029.yaml" suffix(, 0)
    }},
    {"FS1032.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1032.yaml" suffix(, 0)
    }},
    {"FS1033.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1033.yaml" suffix(, 0)
    }},
    {"FS1034.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1034.yaml" suffix(, 0)
    }},
    {"FS1035.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1035.yaml" suffix(, 0)
    }},
    {"FS1037.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1037.yaml" suffix(, 0)
    }},
    {"FS1038.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1038.yaml" suffix(, 0)
    }},
    {"FS1040.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1040.yaml" suffix(, 0)
    }},
    {"FS1041.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1041.yaml" suffix(, 0)
    }},
    {"FS1042.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1042.yaml" suffix(, 0)
    }},
    {"FS1043.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1043.yaml" suffix(, 0)
    }},
    {"FS1044.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1044.yaml" suffix(, 0)
    }},
    {"FS1045.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1045.yaml" suffix(, 0)
    }},
    {"FS1046.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1046.yaml" suffix(, 0)
    }},
    {"FS1047.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1047.yaml" suffix(, 0)
    }},
    {"FS1048.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1048.yaml" suffix(, 0)
    }},
    {"FS1049.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1049.yaml" suffix(, 0)
    }},
    {"FS1050.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1050.yaml" suffix(, 0)
    }},
    {"FS1051.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1051.yaml" suffix(, 0)
    }},
    {"FS1054.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1054.yaml" suffix(, 0)
    }},
    {"FS1056.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1056.yaml" suffix(, 0)
    }},
    {"FS1057.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1057.yaml" suffix(, 0)
    }},
    {"FS1058.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1058.yaml" suffix(, 0)
    }},
    {"FS1059.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1059.yaml" suffix(, 0)
    }},
    {"FS1060.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1060.yaml" suffix(, 0)
    }},
    {"FS1061.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1061.yaml" suffix(, 0)
    }},
    {"FS1063.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1063.yaml" suffix(, 0)
    }},
    {"FS1065.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1065.yaml" suffix(, 0)
    }},
    {"FS1066.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1066.yaml" suffix(, 0)
    }},
    {"FS1067.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1067.yaml" suffix(, 0)
    }},
    {"FS1068.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1068.yaml" suffix(, 0)
    }},
    {"FS1073.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1073.yaml" suffix(, 0)
    }},
    {"FS1078.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1078.yaml" suffix(, 0)
    }},
    {"FS1079.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1079.yaml" suffix(, 0)
    }},
    {"FS1082.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1082.yaml" suffix(, 0)
    }},
    {"FS1083.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1083.yaml" suffix(, 0)
    }},
    {"FS1087.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1087.yaml" suffix(, 0)
    }},
    {"FS1088.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1088.yaml" suffix(, 0)
    }},
    {"FS1089.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1089.yaml" suffix(, 0)
    }},
    {"FS1090.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1090.yaml" suffix(, 0)
    }},
    {"FS1091.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1091.yaml" suffix(, 0)
    }},
    {"FS1093.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1093.yaml" suffix(, 0)
    }},
    {"FS1095.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1095.yaml" suffix(, 0)
    }},
    {"FS1098.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1098.yaml" suffix(, 0)
    }},
    {"FS1100.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1100.yaml" suffix(, 0)
    }},
    {"FS1101.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1101.yaml" suffix(, 0)
    }},
    {"FS1105.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1105.yaml" suffix(, 0)
    }},
    {"FS1106.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1106.yaml" suffix(, 0)
    }},
    {"FS1107.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1107.yaml" suffix(, 0)
    }},
    {"FS1108.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1108.yaml" suffix(, 0)
    }},
    {"FS1110.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1110.yaml" suffix(, 0)
    }},
    {"FS1111.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1111.yaml" suffix(, 0)
    }},
    {"FS1113.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1113.yaml" suffix(, 0)
    }},
    {"FS1115.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1115.yaml" suffix(, 0)
    }},
    {"FS1116.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1116.yaml" suffix(, 0)
    }},
    {"FS1117.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1117.yaml" suffix(, 0)
    }},
    {"FS1118.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1118.yaml" suffix(, 0)
    }},
    {"FS1119.yaml", (const unsigned char[]){
#embed "../../../Rules/FS1119.yaml" suffix(, 0)
    }},
    {"FS9101.yaml", (const unsigned char[]){
#embed "../../../Rules/FS9101.yaml" suffix(, 0)
    }},
    {"FS9102.yaml", (const unsigned char[]){
#embed "../../../Rules/FS9102.yaml" suffix(, 0)
    }},
    {"FS9103.yaml", (const unsigned char[]){
#embed "../../../Rules/FS9103.yaml" suffix(, 0)
    }},
    {"FS9104.yaml", (const unsigned char[]){
#embed "../../../Rules/FS9104.yaml" suffix(, 0)
    }},
    {"FS9105.yaml", (const unsigned char[]){
#embed "../../../Rules/FS9105.yaml" suffix(, 0)
    }},
    {"FS9106.yaml", (const unsigned char[]){
#embed "../../../Rules/FS9106.yaml" suffix(, 0)
    }},
    {"FS9107.yaml", (const unsigned char[]){
#embed "../../../Rules/FS9107.yaml" suffix(, 0)
    }},
    {"FS9108.yaml", (const unsigned char[]){
#embed "../../../Rules/FS9108.yaml" suffix(, 0)
    }},
    {0, 0},
};

const EmbeddedFile *builtInRules(void) { return rulesFiles; }

static const unsigned char preparedRules[] = {
#embed "../../../Rules/Prepared/rules.txt" suffix(, 0)
};

const unsigned char *builtInPreparedRules(void) { return preparedRules; }
