#!/usr/bin/env node
import { run, type Terminal } from '../../daemons/run.ts'
import { nearestName } from '../../runtime/kernel/values/spelling.ts'
import { optimizeLate } from './late-optimization.ts'

/** One command of orch. */
interface Command {
  readonly about: string
  /** Loads the command's code and runs it: no command pays for the imports of another. */
  readonly run: (terminal: Terminal, signal: AbortSignal) => Promise<number>
}

/** By name, in the order of the help. */
const commands: ReadonlyMap<string, Command> = new Map([
  [
    'init',
    {
      about: 'makes a repository for an operator',
      run: async (terminal) => (await import('./init.ts')).runInit(terminal),
    },
  ],
  [
    'dev',
    {
      about: 'runs a control plane and an operator that follow every saved file',
      run: async (terminal, signal) => (await import('./dev.ts')).runDev(terminal, signal),
    },
  ],
  [
    'up',
    {
      about: 'starts a control plane on this machine',
      run: runUp,
    },
  ],
  [
    'generate',
    {
      about: 'writes the code that schema files stand for',
      run: async ({ args }) => (await import('./generate.ts')).runGenerate(args),
    },
  ],
  [
    'import',
    {
      about: 'makes schema files of other people’s definitions',
      run: async (terminal) => (await import('./import.ts')).runImport(terminal),
    },
  ],
  [
    'package',
    {
      about: 'writes the manifests that install an operator',
      run: async (terminal) => (await import('./package.ts')).runPackage(terminal),
    },
  ],
  [
    'graph',
    {
      about: 'tells which controller wakes which, and warns of circles',
      run: async (terminal) => (await import('./graph.ts')).runGraph(terminal),
    },
  ],
  [
    'migrate-storage',
    {
      about: 'stores objects anew, by the keys and in the versions of today',
      run: async (terminal) => (await import('./migrate-storage.ts')).runMigrateStorage(terminal),
    },
  ],
  [
    'store',
    {
      about: 'moves, backs up, mends and measures what servers store',
      run: async (terminal, signal) => (await import('./store.ts')).runStore(terminal, signal),
    },
  ],
  [
    'config',
    {
      about: 'checks and explains the configuration of a daemon',
      run: async (terminal) => (await import('./config.ts')).runConfig(terminal),
    },
  ],
  [
    'validate',
    {
      about: 'says everything that is wrong with manifests, as a server would find it',
      run: runValidate,
    },
  ],
  [
    'fix',
    {
      about: 'makes the safe changes that orch validate names, and no other',
      run: async (terminal) => (await import('./fix.ts')).runFix(terminal),
    },
  ],
  [
    'migrate',
    {
      about: 'rewrites files of versions that go, and flags of unit files as configuration files',
      run: async (terminal) => (await import('./migrate.ts')).runMigrate(terminal),
    },
  ],
  [
    'why',
    {
      about: 'tells where a finding comes from: file, schema, generated type',
      run: async (terminal) => (await import('./why.ts')).runWhy(terminal),
    },
  ],
  [
    'lsp',
    {
      about: 'serves an editor: findings, completion, descriptions, fixes, renaming',
      run: async (terminal) => (await import('./lsp.ts')).runLsp(terminal),
    },
  ],
  [
    'json-schema',
    {
      about: 'writes JSON Schemas of all kinds with a catalogue, for other editors and validators',
      run: async (terminal) => (await import('./json-schema.ts')).runJsonSchema(terminal),
    },
  ],
  [
    'build',
    {
      about: 'makes manifests of configuration modules in TypeScript',
      run: runBuild,
    },
  ],
  [
    'apply',
    {
      about: 'makes a server have the objects of files',
      run: async (terminal, signal) => (await import('./apply.ts')).runApply(terminal, signal),
    },
  ],
  [
    'explain',
    {
      about: 'says what a kind, a field or a flag is, and which schema says so',
      run: async (terminal) => (await import('./explain.ts')).runExplain(terminal),
    },
  ],
  [
    'get',
    {
      about: 'shows objects as they are, or as they were at a revision',
      run: async (terminal) => (await import('./history/get.ts')).runGet(terminal),
    },
  ],
  [
    'history',
    {
      about: 'tells every version of an object that the server keeps',
      run: async (terminal) => (await import('./history/history.ts')).runHistory(terminal),
    },
  ],
  [
    'diff',
    {
      about: 'tells what an apply would change, or what changed between two versions of an object',
      run: runDiff,
    },
  ],
  [
    'blame',
    {
      about: 'tells which manager set each field of an object, and since when',
      run: async (terminal) => (await import('./history/blame.ts')).runBlame(terminal),
    },
  ],
  [
    'who-can',
    {
      about: 'tells who may do something, and through which binding',
      run: async (terminal) => (await import('./access/who-can.ts')).runWhoCan(terminal),
    },
  ],
  [
    'access',
    {
      about: 'tells what a user may do, and through which binding',
      run: async (terminal) => (await import('./access/access.ts')).runAccess(terminal),
    },
  ],
  [
    'why-denied',
    {
      about: 'tells why a request is denied, and which rule would allow it',
      run: async (terminal) => (await import('./access/why-denied.ts')).runWhyDenied(terminal),
    },
  ],
  [
    'completion',
    {
      about: "prints a script that completes a daemon's flags in a shell",
      run: async (terminal) => (await import('./completion.ts')).runCompletion(terminal),
    },
  ],
  [
    'version',
    {
      about: 'prints the version',
      run: async ({ print }) => {
        print((await import('../../daemons/version.ts')).versionLine('orch'))
        return 0
      },
    },
  ],
])

await run(async (terminal, signal) => {
  const [name = '--help', ...args] = terminal.args
  if (name === '--help' || name === '-h' || name === 'help') {
    terminal.print(help())
    return terminal.args.length === 0 ? 1 : 0
  }
  const command = commands.get(name === '--version' ? 'version' : name)
  if (command !== undefined) return command.run({ ...terminal, args }, signal)
  const near = nearestName(name, commands.keys())
  const hint = near === undefined ? '' : `, did you mean ${near}?`
  terminal.printError(`orch: unknown command: ${name}${hint}\nrun orch --help to see all commands`)
  return 1
})

/** Of files, or of the versions of an object. */
async function runDiff(terminal: Terminal): Promise<number> {
  const isOfFiles = terminal.args.some((one) => /^(-f|--file)/.test(one))
  if (isOfFiles) return (await import('./apply.ts')).runDiffOfFiles(terminal)
  return (await import('./history/diff.ts')).runDiff(terminal)
}

/** The commands, with a line each. */
function help(): string {
  const rows = [...commands].map(([name, { about }]) => `  ${name.padEnd(17)}${about}`)
  return [
    'A control plane that is generated from schema files.',
    '',
    'Usage:',
    '  orch COMMAND [flags]',
    '',
    'Commands:',
    ...rows,
    '',
    'orch COMMAND --help shows the flags of a command.',
  ].join('\n')
}

/** Runs `orch validate` from the few files that `tools/pack.ts` makes of it. What V8 compiled is kept for the next run. */
async function runValidate(terminal: Terminal): Promise<number> {
  optimizeLate()
  const scripts = await compiledScripts()
  scripts.keepHeapSmall()
  const packed: typeof import('./validate.ts') = await import(packedFile('orch-validate.js'))
  const code = await packed.runValidate(terminal)
  await scripts.keepCompiled()
  return code
}

/** Runs `orch build` from such files, too. */
async function runBuild(terminal: Terminal): Promise<number> {
  optimizeLate()
  const packed: typeof import('./build.ts') = await import(packedFile('orch-build.js'))
  const code = await packed.runBuild(terminal)
  await keepCompiled()
  return code
}

function packedFile(name: string): string {
  return new URL(`../../packed/${name}`, import.meta.url).href
}

/** Runs `orch up` from the few files that `tools/pack.ts` makes of it. What V8 compiled is kept for the next start. */
async function runUp(terminal: Terminal, signal: AbortSignal): Promise<number> {
  const { up }: typeof import('./up.ts') = await import(packedFile('orch-up.js'))
  return up(terminal, signal, keepCompiled)
}

async function keepCompiled(ended?: boolean): Promise<void> {
  const { keepCompiled } = await compiledScripts()
  await keepCompiled(ended)
}

function compiledScripts(): Promise<typeof import('../pack/compiled-scripts.ts')> {
  return import(packedFile('compiled-scripts.js'))
}
