/** Several processes of `orch up`: one server that uses more cores, or several servers on one database. */
import { hostname } from 'node:os'
import type { Terminal } from '../../../daemons/run.ts'
import {
  type ApiServerOptions,
  type GroupMember,
  loadProcesses,
} from '../../../runtime/apiserver/apiserver.ts'
import type { Options } from '../../../runtime/config/config.ts'
import { isSharedStore, parseStoreLocation } from '../../../runtime/store/store.ts'

/** Where a process says that it serves. */
export interface ServedUrls {
  readonly url: string
  readonly insecureUrl: string
}

/** How many processes the flags ask for. */
export function processCount(options: Options): number {
  return Math.max(options.number('processes'), options.number('replicas'))
}

/** What is wrong with the flags about processes. */
export function processProblems(options: Options): readonly string[] {
  const [processes, replicas] = [options.number('processes'), options.number('replicas')]
  if (replicas === 1) return []
  const location = parseStoreLocation(options.string('storage'))
  return [
    ...(options.number('port') > 0
      ? []
      : ['--replicas: --port PORT says where the first server listens, the others behind it']),
    ...(processes === 1 ? [] : ['--processes and --replicas: one of both, not both']),
    ...(location !== undefined && isSharedStore(location)
      ? []
      : [
          `--replicas ${replicas}: several servers need a database that they share: --storage postgres://USER@HOST/DATABASE. For more cores of this machine: --processes ${replicas}`,
        ]),
  ]
}

/** The options of one process: one of a server, or a server by itself, whose ports are those behind the first one's. */
export async function memberOptions(
  given: ApiServerOptions,
  options: Options,
  member: GroupMember,
): Promise<ApiServerOptions> {
  if (options.number('replicas') === 1) return (await loadProcesses()).groupOptions(given, member)
  const { number } = member
  const portOf = <W extends { readonly port: number }>(where: W): W => ({
    ...where,
    port: where.port === 0 ? 0 : where.port + number - 1,
  })
  const { secure, listen } = given
  return {
    ...given,
    hostname: `${hostname()}-${number}`,
    ...(secure && { secure: portOf(secure) }),
    ...(listen && { listen: portOf(listen) }),
  }
}

/** Has the processes serve until the signal aborts; `greet` says where. Resolves to the exit code. */
export async function superviseUp(
  given: ApiServerOptions,
  options: Options,
  greet: (served: ServedUrls) => void,
  { print }: Pick<Terminal, 'print'>,
  signal: AbortSignal,
): Promise<number> {
  const { superviseServer } = await loadProcesses()
  const ready = (told: readonly unknown[]): void => {
    const [first, ...others] = told as readonly ServedUrls[]
    if (options.number('replicas') > 1) {
      for (const [index, { url }] of others.entries()) print(`server ${index + 2}: ${url}`)
    }
    if (first !== undefined) greet(first)
  }
  return superviseServer({ options: given, count: processCount(options), ready }, signal)
}
