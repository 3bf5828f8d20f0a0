// The tables of Rules/Codes, Rules/Components, Rules/Activities and Rules/Frames.
#include "CBuiltIn.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const EmbeddedFile codesFiles[] = {
    {"clr-more.tsv", (const unsigned char[]){
#embed "../../../Rules/Codes/clr-more.tsv" suffix(, 0)
    }},
    {"clr.tsv", (const unsigned char[]){
#embed "../../../Rules/Codes/clr.tsv" suffix(, 0)
    }},
    {"entra.tsv", (const unsigned char[]){
#embed "../../../Rules/Codes/entra.tsv" suffix(, 0)
    }},
    {"exception.tsv", (const unsigned char[]){
#embed "../../../Rules/Codes/exception.tsv" suffix(, 0)
    }},
    {"hresult-adsi.tsv", (const unsigned char[]){
#embed "../../../Rules/Codes/hresult-adsi.tsv" suffix(, 0)
    }},
    {"hresult-msxml.tsv", (const unsigned char[]){
#embed "../../../Rules/Codes/hresult-msxml.tsv" suffix(, 0)
    }},
    {"hresult-pdh.tsv", (const unsigned char[]){
#embed "../../../Rules/Codes/hresult-pdh.tsv" suffix(, 0)
    }},
    {"hresult-vss.tsv", (const unsigned char[]){
#embed "../../../Rules/Codes/hresult-vss.tsv" suffix(, 0)
    }},
    {"hresult.tsv", (const unsigned char[]){
#embed "../../../Rules/Codes/hresult.tsv" suffix(, 0)
    }},
    {"http.tsv", (const unsigned char[]){
#embed "../../../Rules/Codes/http.tsv" suffix(, 0)
    }},
    {"kerberos.tsv", (const unsigned char[]){
#embed "../../../Rules/Codes/kerberos.tsv" suffix(, 0)
    }},
    {"ldap.tsv", (const unsigned char[]){
#embed "../../../Rules/Codes/ldap.tsv" suffix(, 0)
    }},
    {"meanings-core.txt", (const unsigned char[]){
#embed "../../../Rules/Codes/meanings-core.txt" suffix(, 0)
    }},
    {"meanings-general.txt", (const unsigned char[]){
#embed "../../../Rules/Codes/meanings-general.txt" suffix(, 0)
    }},
    {"meanings-numbers.txt", (const unsigned char[]){
#embed "../../../Rules/Codes/meanings-numbers.txt" suffix(, 0)
    }},
    {"meanings-search.txt", (const unsigned char[]){
#embed "../../../Rules/Codes/meanings-search.txt" suffix(, 0)
    }},
    {"meanings-services.txt", (const unsigned char[]){
#embed "../../../Rules/Codes/meanings-services.txt" suffix(, 0)
    }},
    {"mi.tsv", (const unsigned char[]){
#embed "../../../Rules/Codes/mi.tsv" suffix(, 0)
    }},
    {"ntstatus.tsv", (const unsigned char[]){
#embed "../../../Rules/Codes/ntstatus.tsv" suffix(, 0)
    }},
    {"permission.tsv", (const unsigned char[]){
#embed "../../../Rules/Codes/permission.tsv" suffix(, 0)
    }},
    {"phrases-de.tsv", (const unsigned char[]){
#embed "../../../Rules/Codes/phrases-de.tsv" suffix(, 0)
    }},
    {"phrases-fr.tsv", (const unsigned char[]){
#embed "../../../Rules/Codes/phrases-fr.tsv" suffix(, 0)
    }},
    {"phrases.tsv", (const unsigned char[]){
#embed "../../../Rules/Codes/phrases.tsv" suffix(, 0)
    }},
    {"search-index.tsv", (const unsigned char[]){
#embed "../../../Rules/Codes/search-index.tsv" suffix(, 0)
    }},
    {"search.tsv", (const unsigned char[]){
#embed "../../../Rules/Codes/search.tsv" suffix(, 0)
    }},
    {"sentence.tsv", (const unsigned char[]){
#embed "../../../Rules/Codes/sentence.tsv" suffix(, 0)
    }},
    {"setup.tsv", (const unsigned char[]){
#embed "../../../Rules/Codes/setup.tsv" suffix(, 0)
    }},
    {"sharepoint.tsv", (const unsigned char[]){
#embed "../../../Rules/Codes/sharepoint.tsv" suffix(, 0)
    }},
    {"sql.tsv", (const unsigned char[]){
#embed "../../../Rules/Codes/sql.tsv" suffix(, 0)
    }},
    {"user-right.tsv", (const unsigned char[]){
#embed "../../../Rules/Codes/user-right.tsv" suffix(, 0)
    }},
    {"wif.tsv", (const unsigned char[]){
#embed "../../../Rules/Codes/wif.tsv" suffix(, 0)
    }},
    {"win32.tsv", (const unsigned char[]){
#embed "../../../Rules/Codes/win32.tsv" suffix(, 0)
    }},
    {"wmi.tsv", (const unsigned char[]){
#embed "../../../Rules/Codes/wmi.tsv" suffix(, 0)
    }},
    {"x509-trust.tsv", (const unsigned char[]){
#embed "../../../Rules/Codes/x509-trust.tsv" suffix(, 0)
    }},
    {"x509.tsv", (const unsigned char[]){
#embed "../../../Rules/Codes/x509.tsv" suffix(, 0)
    }},
    {0, 0},
};

static const EmbeddedFile componentsFiles[] = {
    {"core.txt", (const unsigned char[]){
#embed "../../../Rules/Components/core.txt" suffix(, 0)
    }},
    {"search.txt", (const unsigned char[]){
#embed "../../../Rules/Components/search.txt" suffix(, 0)
    }},
    {"services.txt", (const unsigned char[]){
#embed "../../../Rules/Components/services.txt" suffix(, 0)
    }},
    {0, 0},
};

static const EmbeddedFile activitiesFiles[] = {
    {"administration.txt", (const unsigned char[]){
#embed "../../../Rules/Activities/administration.txt" suffix(, 0)
    }},
    {"content.txt", (const unsigned char[]){
#embed "../../../Rules/Activities/content.txt" suffix(, 0)
    }},
    {"jobs.txt", (const unsigned char[]){
#embed "../../../Rules/Activities/jobs.txt" suffix(, 0)
    }},
    {"services.txt", (const unsigned char[]){
#embed "../../../Rules/Activities/services.txt" suffix(, 0)
    }},
    {0, 0},
};

static const EmbeddedFile framesFiles[] = {
    {"actors.txt", (const unsigned char[]){
#embed "../../../Rules/Frames/actors.txt" suffix(, 0)
    }},
    {"advice.txt", (const unsigned char[]){
#embed "../../../Rules/Frames/advice.txt" suffix(, 0)
    }},
    {"envelopes.txt", (const unsigned char[]){
#embed "../../../Rules/Frames/envelopes.txt" suffix(, 0)
    }},
    {"failures.txt", (const unsigned char[]){
#embed "../../../Rules/Frames/failures.txt" suffix(, 0)
    }},
    {"objects.txt", (const unsigned char[]){
#embed "../../../Rules/Frames/objects.txt" suffix(, 0)
    }},
    {"throwers.txt", (const unsigned char[]){
#embed "../../../Rules/Frames/throwers.txt" suffix(, 0)
    }},
    {0, 0},
};

const EmbeddedFile *builtInCodes(void) { return codesFiles; }
const EmbeddedFile *builtInComponents(void) { return componentsFiles; }
const EmbeddedFile *builtInActivities(void) { return activitiesFiles; }
const EmbeddedFile *builtInFrames(void) { return framesFiles; }
