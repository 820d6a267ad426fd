import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
import { aborted, allowListeners } from '../../kernel/async/abort-signal.ts'
import { pause } from '../../kernel/async/clock.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { createQueue } from '../../reconcile/reconcile.ts'
import type { ProbeRounds } from '../probes/prober.ts'
import type { AgentFacts } from './agent-facts.ts'
import { isStatic } from './mirror-sink.ts'
import { PodRunner, type SendAway } from './pod-runner.ts'
import { hasPlainNames } from './running-pod.ts'

/** Runs the pods that it is given. */
export interface Agent {
  /** From now on these are the pods of that source. */
  setPods(source: string, pods: readonly Stored<Pod>[]): void
  /** The pods that it runs, with their status. */
  pods(): readonly Stored<Pod>[]
  /** What probes of containers came to so far. */
  probeCounts(): readonly (ProbeRounds & { readonly pod: Stored<Pod> })[]
  /** @throws an Error where every worker has been at one pod for too long. */
  check(): void
  /** The pod of that name is told of again. */
  tellAgain(namespace: string, name: string): void
  /** Sends a pod away; nothing if it is not here. */
  sendAway(uid: string, why: SendAway): void
  /** Ends what runs of pods that no source has. For when every source has told its pods. */
  endOthers(): Promise<void>
  /** Runs until `signal` aborts; containers go on. */
  run(signal: AbortSignal): Promise<void>
}

/** What is under way has so long to end when the agent stops. */
const stopMs = 2_000
/** How often a pod looks whether another one of its name has gone. */
const sameNameMs = 500
/** How many pods are worked on at once. */
const workers = 64
/** Least milliseconds without progress that are too long. */
const stuckMs = 120_000
/** An agent that has no pods yet. */
export function createAgent(facts: AgentFacts, { syncMs }: { readonly syncMs: number }): Agent {
  const { clock, runtime, log, platform } = facts
  const queue = createQueue({ clock, backoff: { baseMs: 1_000, maxMs: 10_000 } })
  const runners = new Map<string, PodRunner>()
  const sources = new Map<string, ReadonlyMap<string, Stored<Pod>>>()
  const refreshed = new Map<string, number>()

  let busy = 0
  let movedAt = clock.monotonic()

  async function work(signal: AbortSignal): Promise<void> {
    for (;;) {
      const uid = await queue.take(signal)
      if (uid === undefined) return
      busy += 1
      movedAt = clock.monotonic()
      await sync(uid)
      busy -= 1
      movedAt = clock.monotonic()
      queue.finish(uid)
    }
  }

  async function sync(uid: string): Promise<void> {
    const runner = runners.get(uid)
    if (runner === undefined) return
    try {
      if (waitsForOther(runner)) return queue.addAfter(uid, sameNameMs, 'routine')
      const last = refreshed.get(uid) ?? clock.monotonic()
      if (clock.monotonic() - last >= syncMs) {
        refreshed.set(uid, clock.monotonic())
        await runner.refresh()
      } else refreshed.set(uid, last)
      const next = await runner.sync()
      queue.forget(uid)
      if (next === 'done') {
        if (runner.isGone || runner.pod.metadata.deletionTimestamp !== undefined) forget(uid)
      } else queue.addAfter(uid, Math.min(next, syncMs), 'routine')
    } catch (error) {
      const { namespace, name } = runner.pod.metadata
      log.error('pod cannot be run now', { pod: `${namespace}/${name}` }, error)
      queue.retry(uid)
    }
  }

  function forget(uid: string): void {
    runners.get(uid)?.stop()
    runners.delete(uid)
    refreshed.delete(uid)
  }

  /** Of pods of manifests that have one name, as those of a manifest that changed, the first one ends before the next begins. */
  function waitsForOther({ pod, isGone }: PodRunner): boolean {
    const { name, namespace, uid } = pod.metadata
    if (isGone || !isStatic(pod, platform.domain)) return false
    for (const [other, runner] of runners) {
      if (other === uid) return false
      const { metadata } = runner.pod
      if (metadata.name === name && metadata.namespace === namespace) return true
    }
    return false
  }

  function take(pod: Stored<Pod>): void {
    const { uid } = pod.metadata
    if (!hasPlainNames(pod)) {
      log.error('a pod is not run: its names lead out of its folders', { pod: uid })
      return
    }
    const known = runners.get(uid)
    if (known === undefined) {
      runners.set(uid, new PodRunner(pod, facts, () => queue.add(uid)))
    } else {
      known.pod = pod
      known.isGone = false
    }
    queue.add(uid)
  }

  return {
    setPods(source, pods) {
      const next = new Map(pods.map((pod) => [pod.metadata.uid, pod]))
      const before = sources.get(source)
      sources.set(source, next)
      for (const pod of pods) {
        if (before?.get(pod.metadata.uid) !== pod) take(pod)
      }
      for (const uid of before?.keys() ?? []) {
        const runner = runners.get(uid)
        if (next.has(uid) || runner === undefined) continue
        runner.isGone = true
        queue.add(uid)
      }
    },
    pods: () =>
      [...runners.values()].map(({ pod, status }) => ({ ...pod, ...(status && { status }) })),
    probeCounts: () =>
      [...runners.values()].flatMap(({ pod, probeRounds }) =>
        probeRounds.map((rounds) => ({ ...rounds, pod })),
      ),
    check() {
      const stoodMs = clock.monotonic() - movedAt
      if (busy < workers || stoodMs <= Math.max(stuckMs, 2 * syncMs)) return
      throw new Error(`no pod was worked on for ${Math.round(stoodMs / 1000)} s`)
    },
    tellAgain(namespace, name) {
      for (const [uid, runner] of runners) {
        const { metadata } = runner.pod
        if (metadata.name !== name || metadata.namespace !== namespace) continue
        runner.tellAgain()
        queue.add(uid)
      }
    },
    sendAway(uid, why) {
      const runner = runners.get(uid)
      if (runner === undefined) return
      runner.sendAway(why)
      queue.add(uid)
    },
    async endOthers() {
      for (const { config } of await runtime.listPodSandboxes()) {
        const { uid, name, namespace, labels, annotations } = config
        if (runners.has(uid)) continue
        const metadata = { uid, name, namespace, resourceVersion: '', creationTimestamp: '' }
        take({
          ...{ kind: 'Pod', apiVersion: 'v1', spec: { containers: [] } },
          metadata: { ...metadata, labels, annotations },
        } as Stored<Pod>)
        const runner = runners.get(uid)
        if (runner !== undefined) runner.isGone = true
      }
    },
    async run(signal) {
      allowListeners(signal)
      const stop = runtime.onChange((sandboxId) => void wakeFor(sandboxId))
      const working = Array.from({ length: workers }, () => work(signal))
      await aborted(signal)
      stop()
      await Promise.race([Promise.all(working), pause(clock, stopMs)])
      for (const runner of runners.values()) runner.stop()
      queue.close()
    },
  }

  async function wakeFor(sandboxId: string): Promise<void> {
    const found = (await runtime.listPodSandboxes()).find(({ id }) => id === sandboxId)
    if (found !== undefined && runners.has(found.config.uid)) queue.add(found.config.uid)
  }
}
