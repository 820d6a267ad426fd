/** The processes of a comparison: a server of our own with the public names, and the controller manager that works on it. */
import { type ChildProcess, spawn } from 'node:child_process'
import {
  closeSync,
  fstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { packageRoot } from '../../../codegen/main.ts'
import { createAuthority } from '../../../runtime/certificates/certificates.ts'

/** A write that the server recorded. */
export interface Write {
  readonly verb: string
  /** With its subresource after a slash. */
  readonly resource: string
  readonly namespace: string
  readonly name: string
  /** The program, and the controller within it. */
  readonly userAgent: string
  readonly status: number
  /** When the server had received it, in milliseconds since 1970. */
  readonly at: number
  /** The body as it was sent, without what is secret. */
  readonly body: unknown
}

/** A server with a controller manager. */
export interface RunningManager {
  /** Where every request may do everything. */
  readonly url: string
  /** Every write so far, those that were refused among them. */
  writes(): readonly Write[]
  /** Seconds of a processor that the controller manager has taken. */
  cpuSeconds(): number
  /** The same of it and the server together. */
  allCpuSeconds(): number
  /** What the controller manager printed. */
  output(): string
  stop(): Promise<void>
}

/** Which controller manager runs, and how. */
export interface ManagerProgram {
  readonly name: 'ours' | 'reference'
  /** The program of the reference; ours is the built daemon. */
  readonly file?: string
  /** Flags beside the usual ones, in the public names. */
  readonly flags: readonly string[]
  readonly gates: readonly string[]
}

const dayMs = 86_400_000
const built = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))))
const policy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
  - { level: Metadata, verbs: [create, update, patch, delete, deletecollection], resources: [{ group: '', resources: [secrets] }] }
  - { level: Request, verbs: [create, update, patch, delete, deletecollection] }
  - { level: None }
`

/** Starts a fresh server and the controller manager on it. Resolves when the manager leads. */
export async function startManager({
  name,
  file,
  flags,
  gates,
}: ManagerProgram): Promise<RunningManager> {
  const folder = mkdtempSync(join(tmpdir(), 'orch-compare-'))
  const inFolder = (one: string): string => join(folder, one)
  writeFileSync(inFolder('policy.yaml'), policy)
  mkdirSync(inFolder('data'))
  const server = await startProcess(
    process.execPath,
    [
      join(built, 'tools/orch/main.js'),
      ...['up', '--port=0', '--insecure-port=0', '--controllers=', '--scheduler=false'],
      `--platform=${join(packageRoot, 'schemas/platform/kubernetes.yaml')}`,
      `--orchconfig=${inFolder('config')}`,
      `--audit-policy-file=${inFolder('policy.yaml')}`,
      ...[`--audit-log-path=${inFolder('audit.log')}`, '--audit-log-maxsize=0'],
      ...['--audit-log-version=audit.k8s.io/v1', '--runtime-config=api/all=true'],
      ...(gates.length === 0 ? [] : [`--feature-gates=${gates.join(',')}`]),
    ],
    /^ready /m,
  )
  const url = /^without TLS.* (http:\S+)$/m.exec(server.output())?.[1] ?? ''
  const { cert, key } = await createAuthority({
    commonName: 'compare',
    validFrom: Date.now() - dayMs,
    validUntil: Date.now() + 365 * dayMs,
  })
  writeFileSync(inFolder('ca.crt'), cert)
  writeFileSync(inFolder('ca.key'), key)
  writeFileSync(inFolder('manager'), configOf(url))
  const usual = [
    ...(name === 'ours'
      ? [`--orchconfig=${inFolder('manager')}`]
      : [`--kubeconfig=${inFolder('manager')}`]),
    ...['--secure-port=0', '--controllers=*,bootstrapsigner,tokencleaner'],
    ...[`--cluster-signing-cert-file=${inFolder('ca.crt')}`],
    ...[`--cluster-signing-key-file=${inFolder('ca.key')}`, `--root-ca-file=${inFolder('ca.crt')}`],
    ...[`--service-account-private-key-file=${inFolder('ca.key')}`],
    ...(gates.length === 0 ? [] : [`--feature-gates=${gates.join(',')}`]),
    ...flags.map((flag) => (name === 'ours' ? flag.replace('--kube-', '--orch-') : flag)),
  ]
  const command: readonly [string, readonly string[], RegExp] =
    name === 'ours'
      ? [process.execPath, [join(built, 'packed/orch-controller-manager.js'), ...usual], /^ready/m]
      : [file ?? '', [...usual, '-v=2'], /successfully acquired lease/]
  const manager = await startProcess(...command).catch(async (error: unknown) => {
    await server.stop()
    throw error
  })
  const log = new AuditLog(inFolder('audit.log'))
  return {
    url,
    writes: () => log.writes(),
    cpuSeconds: () => cpuSecondsOf(manager.process),
    allCpuSeconds: () => cpuSecondsOf(manager.process) + cpuSecondsOf(server.process),
    output: manager.output,
    async stop() {
      await manager.stop()
      await server.stop()
      rmSync(folder, { recursive: true })
    },
  }
}

function configOf(server: string): string {
  return `apiVersion: v1
kind: Config
current-context: c
clusters: [{ name: c, cluster: { server: '${server}' } }]
users: [{ name: u, user: {} }]
contexts: [{ name: c, context: { cluster: c, user: u } }]
`
}

/** The writes in a log that grows. */
class AuditLog {
  readonly #file: string
  readonly #writes: Write[] = []
  #read = 0

  constructor(file: string) {
    this.#file = file
  }

  /** Those that were logged since it was last asked are added to the same list. */
  writes(): readonly Write[] {
    const file = openSync(this.#file, 'r')
    const added = Buffer.alloc(fstatSync(file).size - this.#read)
    readSync(file, added, 0, added.length, this.#read)
    closeSync(file)
    const whole = added.lastIndexOf('\n') + 1
    this.#read += whole
    const lines = added.toString('utf8', 0, whole).split('\n').slice(0, -1)
    for (const line of lines) this.#writes.push(writeOf(line))
    return this.#writes
  }
}

function writeOf(line: string): Write {
  const audited = JSON.parse(line)
  const { verb, objectRef = {}, userAgent = '', responseStatus, requestObject } = audited
  const { resource = '', subresource, namespace = '', name = '' } = objectRef
  return {
    ...{ verb, namespace, name, userAgent, body: requestObject },
    resource: subresource === undefined ? resource : `${resource}/${subresource}`,
    status: responseStatus?.code ?? 0,
    at: Date.parse(audited.requestReceivedTimestamp),
  }
}

interface StartedProcess {
  readonly process: ChildProcess
  output(): string
  stop(): Promise<void>
}

/** Starts a program and waits until it printed something. */
function startProcess(
  file: string,
  args: readonly string[],
  ready: RegExp,
): Promise<StartedProcess> {
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  return new Promise((resolve, reject) => {
    const take = (text: string): void => {
      output += text
      if (!ready.test(output)) return
      resolve({
        process: child,
        output: () => output,
        stop() {
          child.kill()
          return ended
        },
      })
    }
    child.stdout.setEncoding('utf8').on('data', take)
    child.stderr.setEncoding('utf8').on('data', take)
    child.once('error', reject)
    void ended.then(() => reject(new Error(`${file} ended:\n${output.slice(-3000)}`)))
  })
}

/** Hundredths of a second that a process has taken, in seconds; 0 where there is no such file. */
function cpuSecondsOf({ pid }: ChildProcess): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return (Number(fields[11]) + Number(fields[12])) / 100
  } catch {
    return 0
  }
}
