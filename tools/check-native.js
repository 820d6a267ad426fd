// Runs at the end of an installation, and says which SQLite keeps objects in a file: the package sqlite3, which is compiled on this
// machine where no built one can be downloaded, or else the one that Node itself has since 22.13. Where there is neither, a checkout
// fails; where orch is a package of another project, only what keeps objects in a file does. Plain JavaScript, for nothing is built yet.
import { createRequire } from 'node:module'
import { sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const isPackage = fileURLToPath(import.meta.url).includes(`${sep}node_modules${sep}`)
const again = isPackage ? 'npm rebuild sqlite3' : 'npm ci'

try {
  createRequire(import.meta.url)('sqlite3')
  console.log('orch: objects in files are kept by the package sqlite3')
} catch (error) {
  if (hasBuiltIn()) sayBuiltIn(error)
  else refuse(error)
}

// True for a Node with a SQLite of its own that needs no flag.
function hasBuiltIn() {
  return process.getBuiltinModule?.('node:sqlite') !== undefined
}

function sayBuiltIn(error) {
  const reason = error instanceof Error ? error.message.split('\n')[0] : String(error)
  console.log(`orch: the package sqlite3 could not be built or loaded (${reason})`)
  console.log(
    `orch: objects in files are kept by the SQLite of Node ${process.versions.node}; ${again} with a C++ compiler takes the package, whose commits wait for the disk on another thread`,
  )
}

function refuse(error) {
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
      'Node 22.13 and later have a SQLite of their own, and need none. Otherwise it is compiled with Python, make and a C++ compiler.',
      `Install them, then run ${again} again:`,
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
