import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { ContainerConfig, ContainerUser } from '../contract/container.ts'
import { RuntimeError } from '../contract/runtime-error.ts'
import { containerPath, hostPathOf } from './container-path.ts'
import { makeRoot } from './container-root.ts'
import { groupScript, namespaceScript, processScript } from './container-script.ts'
import { findProgram, isProgram, programFolders } from './host-image.ts'
import { type EmbeddedLevel, unshareFlags } from './probe-level.ts'
import { allProcesses } from './processes.ts'
import { inTerminal } from './terminal.ts'

/** What a container is started with. */
export interface Launch {
  readonly level: EmbeddedLevel
  readonly isRoot: boolean
  /** The folder of the container. */
  readonly folder: string
  readonly config: ContainerConfig
  readonly hostname: string
  /** A word by which the process is known again. */
  readonly marker: string
  /** The program of the image. */
  readonly program: string
  /** What the program reads: an open file, or nothing. */
  readonly stdin: number | 'ignore'
  /** The file of the network that its processes join. */
  readonly network: string | undefined
  /** Files of the control groups that its processes join. */
  readonly joins: readonly string[]
}

const path = programFolders.join(':')
const scriptEnvironment = { PATH: path, LC_ALL: 'C' }

/** Starts the program of a container; resolves when it runs. @throws a RuntimeError that says why it does not. */
export async function launch(facts: Launch): Promise<ChildProcess> {
  const { level, isRoot, folder, config, hostname, marker } = facts
  const command = commandOf(facts)
  let words: readonly string[]
  if (level === 'process') {
    const scratch = join(folder, 'root')
    mkdirSync(scratch, { recursive: true })
    const place = config.workingDirectory === '' ? scratch : config.workingDirectory
    words = ['/bin/sh', '-c', processScript, marker, place, ...command]
  } else {
    const folders = { root: join(folder, 'root'), layers: join(folder, 'layers') }
    const place = config.workingDirectory === '' ? '/' : containerPath(config.workingDirectory)
    const table = join(folder, 'mounts')
    const isOwn = level === 'full' && !config.readonlyRoot
    writeFileSync(table, makeRoot(folders, config.mounts, place, { ...config, isOwn }))
    words = [
      ...intoNetwork(facts),
      ...['unshare', ...unshareFlags(isRoot), '/bin/sh', '-c', namespaceScript, marker],
      ...[hostname, table, folders.root, place, ...command],
    ]
  }
  const files = ['stdout', 'start-errors', 'exit', 'stderr'].map((name) =>
    // The exit code takes the place that is kept for it.
    openSync(join(folder, name), name === 'exit' ? 'r+' : 'a', 0o600),
  )
  const [stdout, errors, exit, stderr] = files as [number, number, number, number]
  try {
    const [program = '', ...rest] = inGroups(facts, words)
    const child = spawn(program, rest, {
      detached: true,
      cwd: '/',
      env: scriptEnvironment,
      stdio: [facts.stdin, stdout, errors, exit, stderr, 'pipe'],
    })
    await started(child, folder)
    child.unref()
    return child
  } finally {
    for (const fd of files) closeSync(fd)
  }
}

function intoNetwork({ network }: Launch): readonly string[] {
  return network === undefined ? [] : ['nsenter', `--net=${network}`, '--']
}

/** The words by which a command is started in the control groups of the container. */
function inGroups({ joins, config, marker }: Launch, words: readonly string[]): readonly string[] {
  const sooner = Math.max(0, config.resources?.oomScoreAdj ?? 0)
  if (joins.length === 0 && sooner === 0) return words
  return ['/bin/sh', '-c', groupScript, marker, String(sooner), ...joins, '', ...words]
}

/** Resolves when the script says that it starts the program. */
function started(child: ChildProcess, folder: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const signal = child.stdio.at(5) as Readable
    const fail = (why: string) => reject(new RuntimeError('Unknown', why))
    child.once('error', (error) => fail(`the container cannot be made: ${error.message}`))
    let said = ''
    signal.on('data', (bytes: Buffer) => {
      said += bytes
      // The program that makes the namespaces has the other end, too, and keeps it open.
      if (said === 'ok') signal.destroy()
    })
    signal.once('close', () => {
      if (said === 'ok') return resolve()
      const errors = readFileSync(join(folder, 'start-errors'), 'utf8').trim()
      fail(`the container cannot be made: ${errors.slice(-1000) || 'its first process ended'}`)
    })
  })
}

/** The words that run the program of a container with its environment, as its user. */
function commandOf({ config, program, isRoot, level }: Launch): readonly string[] {
  const { command, args } = config
  const words = command.length > 0 ? [...command, ...args] : [program, ...args]
  const environment = withDefaults(config)
  const file = findCommand(words[0] ?? '', config, environment.get('PATH') ?? path, level)
  const run = [...asUser(config.user, isRoot), ...withEnvironment(environment)]
  const all = [...run, file, ...words.slice(1)]
  return config.tty ? inTerminal(all) : all
}

/** Where a command stands in the container. @throws the words of OCI runtimes where there is none. */
export function findCommand(
  word: string,
  { mounts, workingDirectory }: Pick<ContainerConfig, 'mounts' | 'workingDirectory'>,
  folders: string,
  level: EmbeddedLevel,
): string {
  const name = JSON.stringify(word)
  const has = (file: string) => isProgram(level === 'process' ? file : hostPathOf(file, mounts))
  if (word.includes('=') || word === '') {
    throw new RuntimeError('InvalidArgument', `exec: ${name}: not the name of a program`)
  }
  if (!word.includes('/')) {
    const found = folders
      .split(':')
      .map((folder) => join(folder, word))
      .find(has)
    if (found !== undefined) return found
    throw new RuntimeError('Unknown', `exec: ${name}: executable file not found in $PATH: unknown`)
  }
  const file = word.startsWith('/') ? word : join(workingDirectory || '/', word)
  if (has(file)) return file
  throw new RuntimeError(
    'Unknown',
    `exec: ${name}: stat ${word}: no such file or directory: unknown`,
  )
}

function withDefaults({ environment, tty }: ContainerConfig): ReadonlyMap<string, string> {
  const terminal = tty ? ([['TERM', 'xterm']] as const) : []
  return new Map([['PATH', path], ...terminal, ...environment])
}

function withEnvironment(environment: ReadonlyMap<string, string>): readonly string[] {
  return ['env', '-i', ...[...environment].map(([name, value]) => `${name}=${value}`)]
}

/** The words by which a program is run as a user. @throws a RuntimeError if only root could. */
function asUser(user: ContainerUser, isRoot: boolean): readonly string[] {
  const { uid, gid, supplementalGroups = [], noNewPrivileges, dropsCapabilities } = user
  const changes = (uid ?? 0) !== 0 || (gid ?? 0) !== 0 || supplementalGroups.length > 0
  if (changes && !isRoot) {
    const why = `a container can run as user ${uid ?? 0} only where the agent is root`
    throw new RuntimeError('FailedPrecondition', why)
  }
  const groups =
    supplementalGroups.length > 0 ? [`--groups=${supplementalGroups.join()}`] : ['--clear-groups']
  const words = [
    ...(changes ? [`--regid=${gid ?? 0}`, `--reuid=${uid ?? 0}`, ...groups] : []),
    ...(noNewPrivileges ? ['--no-new-privs'] : []),
    ...(dropsCapabilities?.includes('ALL') ? ['--bounding-set=-all', '--inh-caps=-all'] : []),
  ]
  if (words.length === 0) return []
  if (findProgram('setpriv', programFolders) === undefined) {
    const why = 'this machine has no program setpriv, by which the user of a container is set'
    throw new RuntimeError('FailedPrecondition', why)
  }
  return ['setpriv', ...words, '--']
}

/** Starts a command beside the program of a container, whose first process is `pid`. */
export function launchBeside(
  facts: Launch,
  pid: number,
  stdio: SpawnOptions['stdio'],
): ChildProcess {
  const { level, isRoot, config, folder } = facts
  const command = commandOf(facts)
  const options = { detached: true, env: scriptEnvironment, stdio } as const
  if (level === 'process') {
    const cwd = config.workingDirectory || join(folder, 'root')
    const [program = '', ...rest] = inGroups(facts, command)
    return spawn(program, rest, { ...options, cwd })
  }
  const place = config.workingDirectory === '' ? '/' : containerPath(config.workingDirectory)
  const users = isRoot ? [] : ['--user', '--preserve-credentials']
  const into = ['--target', String(pid), '--mount', '--pid', '--ipc', '--uts', '--root']
  const inside = ['/bin/sh', '-c', 'cd -- "$1" && shift && exec "$@"', 'exec', place, ...command]
  const words = [...intoNetwork(facts), 'nsenter', ...users, ...into, '--', ...inside]
  const [program = '', ...rest] = inGroups(facts, words)
  return spawn(program, rest, { ...options, cwd: '/' })
}

/** The first process within the namespaces of a container; of the process that made them, the only child. */
export function firstProcess(pid: number, level: EmbeddedLevel): number | undefined {
  if (level === 'process') return pid
  try {
    const child = Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim())
    if (Number.isInteger(child) && child > 0) return child
  } catch {}
  return allProcesses().find(({ parent }) => parent === pid)?.pid
}
