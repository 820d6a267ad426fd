/** A pod as the parts of its runner see it: what it asks for now, and how it is told of. */
import { join } from 'node:path'
import type { Container } from '../../../generated/apis/core/v1/container.ts'
import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { containersOf, specOf } from '../../pods/pods.ts'
import type { Probed } from '../probes/run-probe.ts'
import type { AgentFacts } from './agent-facts.ts'

/** One pod; its source may bring a newer one at any time. */
export class RunningPod {
  pod: Stored<Pod>
  /** The address of the pod, as it was told last. */
  podIP: string | undefined
  readonly folder: string
  readonly facts: AgentFacts

  constructor(pod: Stored<Pod>, facts: AgentFacts) {
    this.pod = pod
    this.facts = facts
    this.folder = join(facts.rootFolder, 'pods', pod.metadata.uid)
  }

  get goes(): boolean {
    return this.pod.metadata.deletionTimestamp !== undefined
  }

  container(name: string): Container | undefined {
    const spec = specOf(this.pod)
    return [...containersOf(spec), ...(spec.ephemeralContainers ?? [])].find(
      (one) => one.name === name,
    )
  }

  probed(id: string, container: Container): Probed {
    const { runtime, address, platform } = this.facts
    const [major, minor] = platform.release.split('.')
    const agent = `${platform.prefix}-probe/${major}.${minor}`
    return { id, container, runtime, address: this.podIP ?? address, agent }
  }

  tell(type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.facts.sink.tellEvent(this.pod, { type, reason, message })
  }
}

/** True for a pod whose names, which become parts of paths, are one word each: a server is expected to see to that, and not relied on. */
export function hasPlainNames({ metadata, spec }: Stored<Pod>): boolean {
  const {
    initContainers = [],
    containers = [],
    ephemeralContainers = [],
    volumes = [],
  } = spec ?? {}
  const named = [...initContainers, ...containers, ...ephemeralContainers, ...volumes]
  const { uid, name, namespace } = metadata
  return [uid, name, namespace, ...named.map((one) => one.name ?? '')].every(
    (word) => word !== '' && word !== '.' && word !== '..' && !/[/\0]/.test(word),
  )
}
