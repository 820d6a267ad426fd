/** How an agent learns that its machine goes down, and what it does then. */
import { execFile } from 'node:child_process'
import type { OrchletConfiguration } from '../../generated/config/agent/v1beta1.ts'
import { type NodeShutdown, type ShutdownGroup, shutdownGroups } from '../../runtime/agent/agent.ts'
import { aborted } from '../../runtime/kernel/async/abort-signal.ts'
import { parseDuration } from '../../runtime/kernel/values/duration.ts'

/** Sent by who knows that the machine goes down. */
const powerSignal = 'SIGPWR'
const answerMs = 2_000
const secondsOf = (text: string): number => (parseDuration(text) ?? 0) / 1000

/** The groups in which pods end, as the configuration says; none where they have no time. */
export function configuredGroups(configuration: OrchletConfiguration): readonly ShutdownGroup[] {
  return shutdownGroups({
    seconds: secondsOf(configuration.shutdownGracePeriod),
    criticalSeconds: secondsOf(configuration.shutdownGracePeriodCriticalPods),
    byPriority: (configuration.shutdownGracePeriodByPodPriority ?? []).map(
      ({ priority, shutdownGracePeriodSeconds }) => ({
        ...{ priority, seconds: Number(shutdownGracePeriodSeconds) },
      }),
    ),
  })
}

/**
 * Aborts when `signal` does; where the machine goes down, when its pods have had their time. `began` is called when they begin to end: by SIGPWR,
 * or when the agent is told to end while the init system stops everything.
 */
export function afterShutdown(
  signal: AbortSignal,
  shutdown: NodeShutdown,
  began: () => void,
): AbortSignal {
  const over = new AbortController()
  const begin = async (): Promise<void> => {
    if (!shutdown.isGoing) queueMicrotask(began)
    await shutdown.begin()
  }
  const told = () => void begin()
  process.on(powerSignal, told)
  void aborted(signal).then(async () => {
    if (shutdown.isGoing || (await isMachineStopping())) await begin()
    process.off(powerSignal, told)
    over.abort()
  })
  return over.signal
}

/** What systemd says of itself; where there is none, the machine does not tell. */
function isMachineStopping(): Promise<boolean> {
  return new Promise((resolve) => {
    execFile('systemctl', ['is-system-running'], { timeout: answerMs }, (_, stdout) =>
      resolve(String(stdout).trim() === 'stopping'),
    )
  })
}
