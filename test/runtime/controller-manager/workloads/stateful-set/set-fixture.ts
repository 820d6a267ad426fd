/** Stateful sets and pods for tables. */
import type { PersistentVolumeClaim } from '../../../../../generated/apis/core/v1/persistent-volume-claim.ts'
import type { Pod } from '../../../../../generated/apis/core/v1/pod.ts'
import {
  decideSet,
  type SetOptions,
} from '../../../../../runtime/controller-manager/workloads/stateful-set/decide-stateful-set.ts'
import type { StoredSet } from '../../../../../runtime/controller-manager/workloads/stateful-set/set-names.ts'
import type { Stored } from '../../../../../runtime/kernel/meta/object.ts'

export const now = Date.parse('2030-01-01T00:01:00Z')

export const options: SetOptions = {
  domain: 'orch.io',
  indexLabel: true,
  deletesClaims: true,
  maxUnavailable: false,
}

/** A set `web` of three pods; `spec` says what is different. */
export function set(spec: object = {}, metadata: object = {}): StoredSet {
  return {
    ...{ apiVersion: 'apps/v1', kind: 'StatefulSet' },
    metadata: { name: 'web', namespace: 'shop', uid: 'set', generation: 1, ...metadata },
    spec: {
      ...{ replicas: 3, serviceName: 'web', selector: { matchLabels: { app: 'web' } } },
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
      ...spec,
    },
  } as never
}

/** What a pod may be beside healthy. */
export interface PodFacts {
  readonly revision?: string
  readonly ready?: boolean
  readonly phase?: string
  readonly going?: boolean
  /** Seconds since it is ready. */
  readonly age?: number
  readonly label?: string
  readonly volumes?: readonly object[]
}

/** The pod of a number: ready for a minute, of the revision `new`. */
export function pod(ordinal: number, facts: PodFacts = {}): Stored<Pod> {
  const name = `web-${ordinal}`
  const {
    revision = 'new',
    ready = true,
    phase = 'Running',
    going,
    age = 60,
    label,
    volumes,
  } = facts
  const since = new Date(now - age * 1000).toISOString()
  const labels = {
    'statefulset.orch.io/pod-name': label ?? name,
    'controller-revision-hash': revision,
  }
  return {
    ...{ apiVersion: 'v1', kind: 'Pod' },
    metadata: { name, uid: `uid-${ordinal}`, labels, ...(going && { deletionTimestamp: since }) },
    spec: { ...(volumes && { volumes }) },
    status: {
      phase,
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: since }],
    },
  } as never
}

/** What is decided about a set, in words: `create 1 update`, `delete web-2`; rounds are parted by `|`. */
export function decided(
  one: StoredSet,
  pods: readonly Stored<Pod>[],
  given: Partial<SetOptions> & { readonly claims?: readonly Stored<PersistentVolumeClaim>[] } = {},
): string {
  const { claims = [], ...more } = given
  const claimOf = (name: string) => claims.find(({ metadata }) => metadata.name === name)
  const observed = { set: one, pods, claimOf, current: 'old', update: 'new' }
  const { rounds } = decideSet(observed, now, { ...options, ...more })
  const words = rounds.map((steps) =>
    steps.map((step) =>
      step.is === 'create'
        ? `create ${step.ordinal} ${step.revision}`
        : `${step.is} ${step.pod.metadata.name}`,
    ),
  )
  return words.map((steps) => steps.join(', ')).join(' | ')
}
