// The JSON Schemas of Schemas.
#include "CBuiltIn.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const EmbeddedFile schemasFiles[] = {
    {"alias.1.schema.json", (const unsigned char[]){
#embed "../../../Schemas/alias.1.schema.json" suffix(, 0)
    }},
    {"baseline.1.schema.json", (const unsigned char[]){
#embed "../../../Schemas/baseline.1.schema.json" suffix(, 0)
    }},
    {"collection.1.schema.json", (const unsigned char[]){
#embed "../../../Schemas/collection.1.schema.json" suffix(, 0)
    }},
    {"collectionChange.1.schema.json", (const unsigned char[]){
#embed "../../../Schemas/collectionChange.1.schema.json" suffix(, 0)
    }},
    {"collectionDefinition.1.schema.json", (const unsigned char[]){
#embed "../../../Schemas/collectionDefinition.1.schema.json" suffix(, 0)
    }},
    {"comparison.1.schema.json", (const unsigned char[]){
#embed "../../../Schemas/comparison.1.schema.json" suffix(, 0)
    }},
    {"context.1.schema.json", (const unsigned char[]){
#embed "../../../Schemas/context.1.schema.json" suffix(, 0)
    }},
    {"copy.1.schema.json", (const unsigned char[]){
#embed "../../../Schemas/copy.1.schema.json" suffix(, 0)
    }},
    {"definitionDifference.1.schema.json", (const unsigned char[]){
#embed "../../../Schemas/definitionDifference.1.schema.json" suffix(, 0)
    }},
    {"diagnosis.1.schema.json", (const unsigned char[]){
#embed "../../../Schemas/diagnosis.1.schema.json" suffix(, 0)
    }},
    {"diagnosisRecord.1.schema.json", (const unsigned char[]){
#embed "../../../Schemas/diagnosisRecord.1.schema.json" suffix(, 0)
    }},
    {"difference.1.schema.json", (const unsigned char[]){
#embed "../../../Schemas/difference.1.schema.json" suffix(, 0)
    }},
    {"document.1.schema.json", (const unsigned char[]){
#embed "../../../Schemas/document.1.schema.json" suffix(, 0)
    }},
    {"event.1.schema.json", (const unsigned char[]){
#embed "../../../Schemas/event.1.schema.json" suffix(, 0)
    }},
    {"existence.1.schema.json", (const unsigned char[]){
#embed "../../../Schemas/existence.1.schema.json" suffix(, 0)
    }},
    {"explanation.1.schema.json", (const unsigned char[]){
#embed "../../../Schemas/explanation.1.schema.json" suffix(, 0)
    }},
    {"facet.1.schema.json", (const unsigned char[]){
#embed "../../../Schemas/facet.1.schema.json" suffix(, 0)
    }},
    {"farm.1.schema.json", (const unsigned char[]){
#embed "../../../Schemas/farm.1.schema.json" suffix(, 0)
    }},
    {"job.1.schema.json", (const unsigned char[]){
#embed "../../../Schemas/job.1.schema.json" suffix(, 0)
    }},
    {"left.1.schema.json", (const unsigned char[]){
#embed "../../../Schemas/left.1.schema.json" suffix(, 0)
    }},
    {"logEvent.1.schema.json", (const unsigned char[]){
#embed "../../../Schemas/logEvent.1.schema.json" suffix(, 0)
    }},
    {"normal.1.schema.json", (const unsigned char[]){
#embed "../../../Schemas/normal.1.schema.json" suffix(, 0)
    }},
    {"plan.1.schema.json", (const unsigned char[]){
#embed "../../../Schemas/plan.1.schema.json" suffix(, 0)
    }},
    {"preview.1.schema.json", (const unsigned char[]){
#embed "../../../Schemas/preview.1.schema.json" suffix(, 0)
    }},
    {"previewItem.1.schema.json", (const unsigned char[]){
#embed "../../../Schemas/previewItem.1.schema.json" suffix(, 0)
    }},
    {"profile.1.schema.json", (const unsigned char[]){
#embed "../../../Schemas/profile.1.schema.json" suffix(, 0)
    }},
    {"progress.1.schema.json", (const unsigned char[]){
#embed "../../../Schemas/progress.1.schema.json" suffix(, 0)
    }},
    {"reconciliation.1.schema.json", (const unsigned char[]){
#embed "../../../Schemas/reconciliation.1.schema.json" suffix(, 0)
    }},
    {"report.1.schema.json", (const unsigned char[]){
#embed "../../../Schemas/report.1.schema.json" suffix(, 0)
    }},
    {"request.1.schema.json", (const unsigned char[]){
#embed "../../../Schemas/request.1.schema.json" suffix(, 0)
    }},
    {"ruleComplaint.1.schema.json", (const unsigned char[]){
#embed "../../../Schemas/ruleComplaint.1.schema.json" suffix(, 0)
    }},
    {"ruleEntry.1.schema.json", (const unsigned char[]){
#embed "../../../Schemas/ruleEntry.1.schema.json" suffix(, 0)
    }},
    {"ruleTest.1.schema.json", (const unsigned char[]){
#embed "../../../Schemas/ruleTest.1.schema.json" suffix(, 0)
    }},
    {"secondLook.1.schema.json", (const unsigned char[]){
#embed "../../../Schemas/secondLook.1.schema.json" suffix(, 0)
    }},
    {"slow.1.schema.json", (const unsigned char[]){
#embed "../../../Schemas/slow.1.schema.json" suffix(, 0)
    }},
    {"source.1.schema.json", (const unsigned char[]){
#embed "../../../Schemas/source.1.schema.json" suffix(, 0)
    }},
    {"summary.1.schema.json", (const unsigned char[]){
#embed "../../../Schemas/summary.1.schema.json" suffix(, 0)
    }},
    {"suppression.1.schema.json", (const unsigned char[]){
#embed "../../../Schemas/suppression.1.schema.json" suffix(, 0)
    }},
    {"trace.1.schema.json", (const unsigned char[]){
#embed "../../../Schemas/trace.1.schema.json" suffix(, 0)
    }},
    {"version.1.schema.json", (const unsigned char[]){
#embed "../../../Schemas/version.1.schema.json" suffix(, 0)
    }},
    {"webConfig.1.schema.json", (const unsigned char[]){
#embed "../../../Schemas/webConfig.1.schema.json" suffix(, 0)
    }},
    {"webConfigFix.1.schema.json", (const unsigned char[]){
#embed "../../../Schemas/webConfigFix.1.schema.json" suffix(, 0)
    }},
    {0, 0},
};

const EmbeddedFile *builtInSchemas(void) { return schemasFiles; }
