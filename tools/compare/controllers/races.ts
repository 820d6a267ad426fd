/** What comes out differently in two runs of one manager, too: what it looks at first decides. Each with the reason that neither is wrong. */
import type { Outcome } from './outcome.ts'

/** A difference that timing makes. */
export interface Race {
  /** What comes before what. */
  readonly why: string
  /** The scenarios in which it was seen, `s-jobs-*` for every random one of a world; none for all. */
  readonly scenarios: readonly string[]
  /** The lines that it explains, as they are printed. */
  readonly lines: readonly RegExp[]
  /** What else has to be so. */
  readonly holds?: (line: string, ours: Outcome, reference: Outcome) => boolean
}

/** A line of a difference, and what explains it. */
export interface JudgedLine {
  readonly line: string
  readonly why: string | undefined
}

/** Looks for the reason of each line. */
export function judged(
  scenario: string,
  lines: readonly string[],
  ours: Outcome,
  reference: Outcome,
): readonly JudgedLine[] {
  return lines.map((line) => {
    const race = races.find(
      ({ scenarios, lines: explained, holds = () => true }) =>
        (scenarios.length === 0 || scenarios.some((one) => isNamed(scenario, one))) &&
        explained.some((one) => one.test(line)) &&
        holds(line, ours, reference),
    )
    return { line, why: race?.why }
  })
}

function isNamed(scenario: string, name: string): boolean {
  return name.endsWith('*') ? scenario.startsWith(name.slice(0, -1)) : scenario === name
}

const isRefused = (what: string): boolean => / \d{3} by \S+$/.test(what)

const isNodeStatus = (what: string): boolean => what.endsWith(' nodes/status')
const isSliceUpdate = (what: string): boolean => what === 'update endpointslices'

function sumOf({ writes }: Outcome, counts: (what: string) => boolean): number {
  return [...writes].reduce((sum, [what, count]) => sum + (counts(what) ? count : 0), 0)
}

function deletedIn({ events }: Outcome): string {
  return events.filter((one) => one.includes(' SuccessfulDelete ')).join()
}

const isGoing = /^(StatefulSet|DaemonSet) \w+:metadata\.deletionTimestamp=/

const combined = '(combined from similar events): '

const races: readonly Race[] = [
  {
    why: 'the reference still knows its timer when the pod is gone before its own deletion is answered',
    scenarios: ['s-taint', 's-nodes-*'],
    lines: [/^- Pod \w+ : Normal TaintManagerEviction .*: Cancelling deletion of Pod \S+$/],
    holds: (line, _, reference) =>
      reference.events.includes(
        line.slice(2).replace('Cancelling deletion of', 'Marking for deletion'),
      ),
  },
  {
    why: 'told if the budget is looked at before the pods that are made at the same time',
    scenarios: ['s-budget', 's-unhealthy'],
    lines: [/^[+-] PodDisruptionBudget web : Normal NoPods /],
  },
  {
    why: 'the reference sees the job gone before its own write to the cron job; ours waits for that',
    scenarios: ['s-cron-done'],
    lines: [/^- CronJob tick : Normal MissingJob /],
    holds: (_, __, reference) =>
      reference.events.some((one) => one.includes('SuccessfulDelete') && one.includes('tick-*')),
  },
  {
    why: 'told if the claim is looked at before the volume that was made just before it is available',
    scenarios: ['s-bind', 's-bind-lost', 's-protect', 's-expand', 's-attach'],
    lines: [
      /^[+-] PersistentVolumeClaim one : Warning ProvisioningFailed .* not found$/,
      /^[+-] PersistentVolumeClaim one : Normal ExternalProvisioning /,
      /^[+-] PersistentVolumeClaim one:metadata\.annotations\.volume\.(beta\.)?kubernetes\.io\/storage-provisioner=/,
      /^\+ writes: update persistentvolumeclaims: 2, of the reference 1$/,
      /^\+ writes: update persistentvolumes(\/status)? 409 by persistent-volume-binder: 1, /,
    ],
  },
  {
    why: 'told if the claim is looked at before the class that was made just before it is known',
    scenarios: ['s-bind', 's-bind-later'],
    lines: [
      /^[+-] PersistentVolumeClaim driver : Warning ProvisioningFailed .*: storageclass\.storage\.k8s\.io "s-bind-later-y" not found$/,
    ],
  },
  {
    why: 'sizes that a rollout passes through in one look have one write and one event',
    scenarios: ['s-deploy-paused', 's-deploy-roll', 's-deploy-scale', 's-deployments-*'],
    lines: [
      /^[+-] ReplicaSet web-#:(metadata\.generation|\.status\.observedGeneration)=\d+$/,
      /^[+-] Deployment web : Normal ScalingReplicaSet .*: Scaled (up|down) replica set web-# to \d+( from \d+)?$/,
      /^[+-] Deployment web : Normal ScalingReplicaSet .*: \(combined from similar events\): Scaled /,
    ],
  },
  {
    why: 'refusals are told together from the tenth on: ours waits longer between them, and the end of the run may come before',
    scenarios: ['s-deploy-quota'],
    lines: [
      /^- ReplicaSet web-# : Warning FailedCreate .*: \(combined from similar events\): Error creating: /,
    ],
    holds: (line, ours) => ours.events.includes(line.slice(2).replace(combined, '')),
  },
  {
    why: 'pods that are seen in one look are one write of their slice, and hints are given or not by those that are there',
    scenarios: ['s-hints', 's-service'],
    lines: [
      /^[+-] EndpointSlice (web|few|odd)-\*:metadata\.generation=\d+$/,
      /^[+-] Endpoints \w+:metadata\.annotations\.endpoints\.kubernetes\.io\/last-change-trigger-time=/,
      /^[+-] Service web : Warning TopologyAwareHintsDisabled .* \([1-5] endpoints, 2 zones\), /,
    ],
  },
  {
    why: 'the reference writes slices once more, without a time, where it hears of its write before the answer, or they have no ports',
    scenarios: [
      ...['s-network-*', 's-by-hand-*', 's-slices-*', 's-hints', 's-hints-*'],
      ...['s-service', 's-service-unready'],
    ],
    lines: [
      /^[+-] EndpointSlice \S+:metadata\.generation=\d+$/,
      /^\+(\d+ times )? EndpointSlice \S+:metadata\.annotations\.endpoints\.kubernetes\.io\/last-change-trigger-time=/,
    ],
    holds: (_, ours, reference) => sumOf(ours, isSliceUpdate) < sumOf(reference, isSliceUpdate),
  },
  {
    why: 'the reference makes one mirror into another without what its name was made of',
    scenarios: ['s-by-hand-*'],
    lines: [/^\+ EndpointSlice \S+:metadata\.generateName=/],
  },
  {
    why: 'ours binds a claim as soon as there is a volume for it, which is just being told that it is available; the reference waits for its period',
    scenarios: ['s-storage-*'],
    lines: [/^\+ writes: update persistentvolumes(\/status)? 409 by persistent-volume-binder: /],
  },
  {
    why: 'the reference tells of a slice that changed while it was written; ours writes it again',
    scenarios: ['s-network-*', 's-by-hand-*', 's-slices-*', 's-hints-*'],
    lines: [/^- Service \S+ : Warning FailedToUpdateEndpointSlices /],
  },
  {
    why: 'rules written by hand into a role that others are put together into are written over (Z-10); the reference leaves and hands on those of roles that select none, or each other',
    scenarios: ['s-roles-*'],
    lines: [/^- ClusterRole \S+:\.rules\[\]=/, /^\+ ClusterRole \S+:\.rules=null$/],
  },
  {
    why: 'the reference takes the taints by which pods leave from every node that it sees for the first time; ours from those that are ready',
    scenarios: ['s-nodes-*'],
    lines: [
      /^\+ Node \S+:\.spec\.taints\[\]=.*"NoExecute","key":"node\.kubernetes\.io\/(unreachable|not-ready)"/,
    ],
    holds: (line, { objects }) => {
      const [node = ''] = line.slice(2).split(':')
      return !objects.some(
        (one) => one.startsWith(`${node}:.status.conditions[]=`) && one.includes('"type":"Ready"'),
      )
    },
  },
  {
    why: 'the reference tells pods by their names: one that a set made again is not the one that was evicted',
    scenarios: ['s-budgets-*'],
    lines: [/^- Pod ordered-\* : Warning NotDeleted /],
  },
  {
    why: 'our collector deletes what its cache has on condition that it is unchanged; the reference reads each object first',
    scenarios: [],
    lines: [/^\+ writes: delete \S+ (404|409) by generic-garbage-collector: /],
  },
  {
    why: 'our server counts a quota that changes itself, and our manager is there before it has',
    scenarios: ['s-quota', 's-quota-*', 's-deploy-quota'],
    lines: [/^\+ writes: update resourcequotas\/status 409 by resourcequota-controller: /],
  },
  {
    why: 'what goes in a namespace that goes has its controller look again, until its owner goes itself',
    scenarios: ['s-namespace', 's-namespaces-*'],
    lines: [
      /^\+ writes: create \S+ 403 by (replicaset|endpoint|endpointslice|deployment)-controller: /,
    ],
  },
  {
    why: 'the collector and the controller of namespaces both delete what is owned in a namespace that goes',
    scenarios: ['s-namespace', 's-namespaces-*'],
    lines: [
      /^\+ writes: delete (replicasets|endpoints|endpointslices)( 404 by \S+)?: \d, of the reference \d$/,
    ],
  },
  {
    why: 'the autoscaler that is looked at first does not know of the other one yet',
    scenarios: ['s-scaler-two'],
    lines: [
      /^[+-] HorizontalPodAutoscaler [ab] : Warning Failed(ComputeMetricsReplicas|GetResourceMetric) .*unable to get metrics for resource cpu/,
    ],
  },
  {
    why: 'which of several pods that are about as old goes is decided by their uid',
    scenarios: ['s-sets-*'],
    lines: [
      /^[+-] ReplicaSet \w+ : Normal SuccessfulDelete .*: Deleted pod: \w+-\*$/,
      /^\+ writes: (create|delete) pods: /,
    ],
    holds: (_, ours, reference) => deletedIn(ours) !== deletedIn(reference),
  },
  {
    why: 'decision 214: a set that goes gets no new revision from us',
    scenarios: ['s-stateful-*', 's-daemons-*'],
    lines: [/^- ControllerRevision /],
    holds: (_, ours) => ours.objects.some((one) => isGoing.test(one)),
  },
  {
    why: 'the reference tells of a conflict with another writer; ours looks again',
    scenarios: ['s-stateful-*'],
    lines: [/^- StatefulSet db : Warning Failed\w+ .*Operation cannot be fulfilled/],
  },
  {
    why: 'a retry is due by the whole second in which its pod was made: the next operation comes before it or after',
    scenarios: ['s-jobs-*'],
    lines: [/^\+ writes: update jobs\/status: \d+, of the reference \d+$/],
    holds: (line) => {
      const [ours = 0, reference = 0] = (line.match(/\d+/g) ?? []).map(Number)
      return ours <= reference + 2
    },
  },
  {
    why: 'somebody else wrote between look and write; in this scenario ours was refused no more often in all',
    scenarios: [],
    lines: [/^\+ writes: (update|patch) \S+ 409 by \S+: /],
    holds: (_, ours, reference) => sumOf(ours, isRefused) <= sumOf(reference, isRefused),
  },
  {
    why: 'ours patches a status that the reference updates',
    scenarios: ['s-nodes-*'],
    lines: [/^\+ writes: patch nodes\/status: \d+, of the reference \d+$/],
    holds: (_, ours, reference) => sumOf(ours, isNodeStatus) <= sumOf(reference, isNodeStatus),
  },
  {
    why: 'how changes were joined; in this scenario ours wrote no more in all',
    scenarios: [],
    lines: [/^\+ writes: (update|patch) \S+: \d+, of the reference [1-9]\d*$/],
    holds: (_, ours, reference) => sumOf(ours, () => true) <= sumOf(reference, () => true),
  },
]
