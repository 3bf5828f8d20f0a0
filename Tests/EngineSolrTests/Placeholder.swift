import EngineSolr
