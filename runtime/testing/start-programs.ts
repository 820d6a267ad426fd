/** What runs beside a control plane for tests. The code of a program is loaded when it is started. */
import type { ControllerName } from '../../generated/controllers.ts'
import type { Client, ClientOptions } from '../client/client.ts'
import type { CloudProvider } from '../cloud/cloud.ts'
import type { Clock } from '../kernel/async/clock.ts'
import type { UserInfo } from '../kernel/auth/user-info.ts'
import { enabledGatesOf } from '../kernel/descriptors/enabled-gates.ts'
import type { Scheme } from '../kernel/descriptors/scheme.ts'
import type { Log } from '../observe/observe.ts'
import type { SchedulerSettings } from '../scheduler/scheduler.ts'
import type { SimulatedNodes, SimulatedNodesOptions } from '../simulated-nodes/simulated-nodes.ts'
import type { ActingUser } from './acting-user.ts'

/** What programs run on. */
export interface StartOptions {
  readonly as: (user: ActingUser, settings: ClientOptions) => Client
  readonly scheme: Scheme
  readonly clock: Clock
  readonly log: Log
}

/** A program that runs. */
export interface StartedProgram {
  /** Ends it, and waits for that. */
  stop(): Promise<void>
}

/** A controller, one of those that `*` means and that does not run, or all that run by default. */
export type ControllerWord = ControllerName | `-${ControllerName}` | '*'

/** Which controllers are to run, and what they have beside the server. */
export interface ControllerSettings {
  readonly controllers?: readonly ControllerWord[]
  readonly cloud?: CloudProvider
  readonly clusterCIDR?: string
}

/** All that was started. */
export interface StartedPrograms extends StartedProgram {
  readonly nodes: SimulatedNodes | undefined
}

/** What is to run beside the server. */
export interface ProgramSettings extends ControllerSettings {
  readonly simulatedNodes?: number | SimulatedNodesOptions
  readonly scheduler?: boolean | SchedulerSettings
}

/** The names of the controllers that words mean. @throws RangeError for a word that means none. */
export async function controllerNames(
  { controllers: words = [], cloud }: ControllerSettings,
  scheme: Scheme,
): Promise<readonly ControllerName[]> {
  if (!Array.isArray(words)) throw new RangeError('controllers: is no list of names')
  if (words.length === 0) return []
  const { controllers } = await import('../../generated/controllers.ts')
  const { selectControllers } = await import('../controller-manager/controller-manager.ts')
  const facts = { controllers, gates: enabledGatesOf(scheme), cloud: cloud !== undefined }
  const { selected, problems } = selectControllers(words, facts)
  if (problems.length > 0) throw new RangeError(`controllers: ${problems.join('; ')}`)
  return selected.map(({ controller }) => controller)
}

/** Starts what is to run, in the order in which one needs the other. What has started ends again where something fails. */
export async function startPrograms(
  settings: ProgramSettings,
  { removesTaint, ...options }: StartOptions & { readonly removesTaint: boolean },
): Promise<StartedPrograms> {
  const { simulatedNodes = 0, scheduler = false } = settings
  const running: (StartedProgram | undefined)[] = []
  const stop = async (): Promise<void> => {
    for (const program of running) await program?.stop()
  }
  try {
    running.unshift(await startControllers(settings, options))
    const simulated = await startNodes(simulatedNodes, { ...options, removesTaint })
    running.unshift(simulated)
    running.unshift(await startScheduler(scheduler, options))
    return { nodes: simulated?.nodes, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Starts controllers of the controller manager, if any are named. */
async function startControllers(
  { controllers = [], cloud, clusterCIDR }: ControllerSettings,
  options: StartOptions,
): Promise<StartedProgram | undefined> {
  if (controllers.length === 0) return undefined
  const { controllersInProcess } = await import('../controller-manager/controller-manager.ts')
  const gates = enabledGatesOf(options.scheme)
  const surroundings = await surroundingsOf(options)
  return started(
    await controllersInProcess({
      ...{ ...surroundings, controllers, gates },
      ...(cloud && { cloud }),
      ...(clusterCIDR !== undefined && { clusterCIDR }),
    }),
  )
}

/** Starts a scheduler, if there is to be one. */
async function startScheduler(
  given: boolean | SchedulerSettings,
  options: StartOptions,
): Promise<StartedProgram | undefined> {
  if (given === false) return undefined
  const { schedulerInProcess } = await import('../scheduler/scheduler.ts')
  const surroundings = await surroundingsOf(options)
  return started(await schedulerInProcess({ ...surroundings, ...(given === true ? {} : given) }))
}

/** Starts simulated nodes, if there are to be any. */
async function startNodes(
  given: number | SimulatedNodesOptions,
  { removesTaint, ...options }: StartOptions & { readonly removesTaint: boolean },
): Promise<(StartedProgram & { readonly nodes: SimulatedNodes }) | undefined> {
  const settings = typeof given === 'number' ? { count: given } : given
  if (settings.count === 0) return undefined
  const { nodesInProcess } = await import('../simulated-nodes/simulated-nodes.ts')
  const nodes = nodesInProcess({ ...(await surroundingsOf(options)), ...settings, removesTaint })
  return { nodes, ...(await started(nodes)) }
}

async function surroundingsOf({ as, scheme, clock, log }: StartOptions) {
  const { platform: own } = await import('../../generated/platform.ts')
  const clientAs = ({ username: user, groups }: UserInfo, program: string): Client =>
    as({ user, groups }, { manager: program, platform: own })
  return { clientAs, platform: scheme.platform, clock, log }
}

/** A program as what starts it sees it. */
interface Program {
  /** Resolves when it works. */
  readonly ready: Promise<unknown>
  /** Works until `signal` aborts. */
  run(signal: AbortSignal): Promise<unknown>
}

async function started(program: Program): Promise<StartedProgram> {
  const end = new AbortController()
  const ended = program.run(end.signal)
  const stop = async (): Promise<void> => {
    end.abort()
    await ended
  }
  try {
    await Promise.race([program.ready, ended])
  } catch (error) {
    await stop()
    throw error
  }
  return { stop }
}
