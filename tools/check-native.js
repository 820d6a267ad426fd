// Runs at the end of an installation: the SQLite driver is the only native part, and where no built one can be downloaded it is
// compiled on this machine. A checkout needs it; where orch is a package of another project, only what keeps objects in a
// file does. Plain JavaScript, for nothing is built yet.
import { createRequire } from 'node:module'
import { sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const isPackage = fileURLToPath(import.meta.url).includes(`${sep}node_modules${sep}`)
const again = isPackage ? 'npm rebuild sqlite3' : 'npm ci'

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
      ...(isPackage
        ? ['Only a server that keeps objects in a file needs it; everything else works without.']
        : []),
      `It is compiled with Python, make and a C++ compiler. Install them, then run ${again} again:`,
      '  Debian, Ubuntu   apt-get install -y python3 make g++',
      '  Fedora           dnf install -y python3 make gcc-c++',
      '  Alpine           apk add python3 make g++',
      '  macOS            xcode-select --install',
      "The compiler's own words: npm rebuild sqlite3 --foreground-scripts",
      'If it asks for the headers of Node and this machine is offline: npm_config_nodedir=<prefix of node> ' +
        again,
      '',
    ].join('\n'),
  )
  if (!isPackage) process.exitCode = 1
}
