// Runs at the end of `npm ci`: the SQLite driver is the only native part, and where no built one can be downloaded it is
// compiled on this machine. Plain JavaScript, for nothing is built yet.
import { createRequire } from 'node:module'

try {
  createRequire(import.meta.url)('sqlite3')
} catch (error) {
  const reason = error instanceof Error ? error.message.split('\n')[0] : String(error)
  console.error(
    [
      '',
      'orch: the SQLite driver (sqlite3) could not be built or loaded:',
      `  ${reason}`,
      '',
      'It is compiled with Python, make and a C++ compiler. Install them, then run npm ci again:',
      '  Debian, Ubuntu   apt-get install -y python3 make g++',
      '  Fedora           dnf install -y python3 make gcc-c++',
      '  Alpine           apk add python3 make g++',
      '  macOS            xcode-select --install',
      "The compiler's own words: npm rebuild sqlite3 --foreground-scripts",
      'If it asks for the headers of Node and this machine is offline: npm_config_nodedir=<prefix of node> npm ci',
      '',
    ].join('\n'),
  )
  process.exitCode = 1
}
