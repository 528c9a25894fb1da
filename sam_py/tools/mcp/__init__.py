"""Tools of other programs, by the Model Context Protocol (MCP): servers that a person added and agreed to.

Must always be true:

- A server starts only while what would run is exactly what the person agreed to.
- One task owns a server: it enters and leaves the connection; everybody else asks through it.
- Whatever a server does (crash, hang, flood, ignore signals) ends in a status and a sentence, nowhere else.
- The `mcp` package is imported when the first server starts, off the loop's thread, and only by
  `link`, `process` and `http`.
"""
