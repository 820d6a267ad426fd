import { execFile, spawn } from 'node:child_process'
import {
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** A PostgreSQL for tests and benchmarks, in a folder of its own. It ends with the process, however that ends. */
export interface Postgres {
  /** Where a store of that schema is; `user` is one that may do everything. */
  url(schema: string, user?: string): string
  /** Runs SQL; gives what it prints, a row a line. */
  sql(text: string): Promise<string>
  stop(mode?: 'fast' | 'immediate'): Promise<void>
  start(): Promise<void>
  /** Ends it with kill -9. */
  crash(): Promise<void>
  /** Stops all of its processes where they are; what it gives lets them go on. */
  freeze(): () => void
  /** Starts another one that follows this one. From then on commits wait for it. */
  standby(): Promise<Postgres>
  /** Begins anew as the standby of another one, which waits for it from then on. */
  followAnew(primary: Postgres): Promise<void>
  /** Makes commits wait for these standbys: `*` for any of them, "" for none. */
  waitFor(standbys: string): Promise<void>
  /** Makes a standby one that is written to, and whose commits wait for no other. */
  promote(): Promise<void>
  /** Where its socket is. */
  readonly folder: string
}

/** Why there is none: for the line that says which tests are skipped. */
export const noPostgres = 'there is no PostgreSQL (Debian: apt-get install postgresql)'

/** The folder with its programs; undefined where it is not installed. */
export const postgresPrograms = findPrograms()

function findPrograms(): string | undefined {
  const packaged = '/usr/lib/postgresql'
  const versions = existsSync(packaged) ? readdirSync(packaged) : []
  const newest = versions.sort((a, b) => Number(b) - Number(a))
  const folders = [
    ...newest.map((version) => join(packaged, version, 'bin')),
    ...(process.env.PATH ?? '').split(delimiter),
  ]
  return folders.find((folder) => folder !== '' && existsSync(join(folder, 'initdb')))
}

/** Whom its programs run as: it refuses to be root. */
function unprivileged(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const users = readFileSync('/etc/passwd', 'utf8').split('\n')
  const fields = ['postgres', 'nobody']
    .map((name) => users.find((line) => line.startsWith(`${name}:`)))
    .find((line) => line !== undefined)
    ?.split(':')
  return { uid: Number(fields?.[2] ?? 65_534), gid: Number(fields?.[3] ?? 65_534) }
}

/** What one is started with. */
export interface PostgresOptions {
  /** Users of whom it wants a password. */
  readonly passwords?: readonly string[]
  /** An address of this machine where it takes connections, beside its socket. */
  readonly address?: string
}

/** Starts one. */
export async function startPostgres({
  passwords = [],
  address,
}: PostgresOptions = {}): Promise<Postgres> {
  const programs = postgresPrograms
  if (programs === undefined) throw new Error(noPostgres)
  const place = newPlace(programs)
  const { program, data } = place
  await program('initdb', '-D', data, '-U', 'orch', '-A', 'trust', '-E', 'UTF8', '--no-sync')
  const access = join(data, 'pg_hba.conf')
  const lines = passwords.map((name) => `local all ${name} scram-sha-256\n`)
  writeFileSync(access, lines.join('') + readFileSync(access, 'utf8'))
  const postgres = running(place, address)
  await postgres.start()
  return postgres
}

/** A folder for one, and what runs its programs. */
interface Place {
  readonly programs: string
  readonly folder: string
  readonly data: string
  readonly program: (name: string, ...args: string[]) => Promise<{ readonly stdout: string }>
}

function newPlace(programs: string): Place {
  const folder = mkdtempSync(join(tmpdir(), 'orch-pg-'))
  const user = unprivileged()
  if (user !== undefined) chownSync(folder, user.uid, user.gid)
  const data = join(folder, 'data')
  endWithProcess(programs, folder, data, user)
  return {
    programs,
    folder,
    data,
    program: (name, ...args) =>
      run(join(programs, name), args, {
        ...user,
        cwd: folder,
        env: { ...process.env, LC_ALL: 'C' },
      }),
  }
}

/** What can be done with the one in a folder. */
function running(place: Place, address = ''): Postgres {
  const { programs, folder, data, program } = place
  const settings = [
    `unix_socket_directories=${folder}`,
    `listen_addresses=${address}`,
    'max_connections=200',
    'shared_buffers=64MB',
  ]
  const options = settings.map((setting) => `-c ${setting}`).join(' ')
  const control = (...args: string[]) => program('pg_ctl', '-D', data, '-w', ...args)
  /** After a crash the processes of the one before may be there for a moment, and it refuses to start. */
  const start = async (attempts = 50): Promise<void> => {
    try {
      await control('start', '-l', join(folder, 'log'), '-o', options)
    } catch (error) {
      if (attempts <= 1) throw error
      await new Promise((resolve) => setTimeout(resolve, 100))
      await start(attempts - 1)
    }
  }
  const sql = async (text: string) => {
    const args = ['-h', folder, '-U', 'orch', '-d', 'postgres', '-X', '-At', '-c', text]
    return (await program('psql', ...args)).stdout.trim()
  }
  const waitFor = async (standbys: string) => {
    await sql(`ALTER SYSTEM SET synchronous_standby_names = '${standbys}'`)
    await sql('SELECT pg_reload_conf()')
  }
  return {
    folder,
    url: (schema, name = 'orch') =>
      `postgres:///postgres?host=${encodeURIComponent(folder)}&user=${name}&schema=${schema}`,
    sql,
    async stop(mode = 'fast') {
      await control('stop', '-m', mode)
    },
    start: () => start(),
    async crash() {
      process.kill(processOf(data), 'SIGKILL')
    },
    freeze() {
      const first = processOf(data)
      process.kill(first, 'SIGSTOP')
      const all = [first, ...childrenOf(first)]
      const send = (signal: NodeJS.Signals): void => {
        for (const pid of all) signalTo(pid, signal)
      }
      send('SIGSTOP')
      return () => send('SIGCONT')
    },
    async standby() {
      const follower = running(newPlace(programs))
      await follower.followAnew(this)
      return follower
    },
    async followAnew(primary) {
      rmSync(data, { recursive: true, force: true })
      const from = ['-h', primary.folder, '-U', 'orch', '-D', data]
      await program('pg_basebackup', ...from, '-R', '-X', 'stream', '-c', 'fast', '--no-sync')
      await start()
      await primary.waitFor('*')
    },
    waitFor,
    async promote() {
      await control('promote')
      await waitFor('')
    },
  }
}

/** The process of the database in a folder that starts all others. */
function processOf(data: string): number {
  return Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n', 1)[0])
}

/** The processes that a process has started, as Linux tells. */
function childrenOf(pid: number): readonly number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .map(Number)
    .filter(Boolean)
}

/** A process that has ended meanwhile is none that has to be told. */
function signalTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** A shell waits for the end of its input, which is the end of this process, even if that is killed. */
function endWithProcess(
  programs: string,
  folder: string,
  data: string,
  user: ReturnType<typeof unprivileged>,
): void {
  const script = 'cat >/dev/null; "$1/pg_ctl" -D "$2" stop -m immediate; rm -rf "$3"'
  const child = spawn('sh', ['-c', script, 'sh', programs, data, folder], {
    ...user,
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  child.unref()
  ;(child.stdin as unknown as { unref(): void }).unref()
}
