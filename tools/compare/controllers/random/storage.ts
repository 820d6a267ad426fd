/** Claims and volumes in every order: classes, modes, selectors, claimed and released ones, and the pods that use them. */
import type { Random } from '../../random.ts'
import { claims, classes, pod, pods, volumes } from '../scenarios/shapes.ts'
import { type Operation, playSome } from './steps.ts'
import type { World } from './world.ts'

const claimNames = ['c0', 'c1', 'c2']
const sizes = ['1Gi', '2Gi', '5Gi']
const modes = [
  ['ReadWriteOnce'],
  ['ReadWriteMany'],
  ['ReadOnlyMany', 'ReadWriteOnce'],
  ['ReadWriteOncePod'],
]

const volumeOf = (c: { namespace: string }, random: Random): string =>
  `${c.namespace}-v${random.below(3)}`

/** Classes of a history are its own, so that no other one has its volumes. */
function classOf({ namespace }: { namespace: string }, random: Random): object {
  const name = random.pick(['plain', 'plain', 'now', 'later', 'driver', 'absent'])
  return { storageClassName: `${namespace}-${name}` }
}

const aVolume: Operation = (c, random) => {
  const name = volumeOf(c, random)
  return c.create(volumes, {
    metadata: {
      name,
      labels: random.pick([{}, { disk: 'ssd' }]),
      ...(random.chance(0.2) && {
        annotations: { 'pv.kubernetes.io/provisioned-by': 'csi.example.com' },
      }),
    },
    spec: {
      capacity: { storage: random.pick(sizes) },
      accessModes: random.pick(modes),
      persistentVolumeReclaimPolicy: random.pick(['Retain', 'Retain', 'Delete']),
      ...classOf(c, random),
      ...(random.chance(0.2) && { volumeMode: 'Block' }),
      ...(random.chance(0.3) && {
        claimRef: { name: random.pick(claimNames), namespace: c.namespace },
      }),
      ...random.pick<object>([
        { csi: { driver: 'csi.example.com', volumeHandle: name } },
        { hostPath: { path: `/tmp/orch-compare-none/${name}` } },
        { hostPath: { path: `/nowhere/${name}` } },
        { nfs: { server: 'a.example', path: '/' } },
      ]),
      ...(random.chance(0.2) && {
        nodeAffinity: {
          required: {
            nodeSelectorTerms: [
              { matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] },
            ],
          },
        },
      }),
    },
  })
}

const aClaim: Operation = (c, random) =>
  c.create(claims, {
    metadata: { name: random.pick(claimNames) },
    spec: {
      accessModes: random.pick(modes),
      resources: { requests: { storage: random.pick(sizes) } },
      ...(random.chance(0.1) ? { storageClassName: '' } : classOf(c, random)),
      ...(random.chance(0.2) && { volumeName: volumeOf(c, random) }),
      ...(random.chance(0.2) && { selector: { matchLabels: { disk: 'ssd' } } }),
      ...(random.chance(0.2) && { volumeMode: 'Block' }),
    },
  })

const noClaim: Operation = (c, random) => c.delete(claims, random.pick(claimNames))

const noVolume: Operation = (c, random) => c.delete(volumes, volumeOf(c, random))

const otherClaim: Operation = (c, random) =>
  c.patch(
    claims,
    random.pick(claimNames),
    random.pick<object>([
      { spec: { resources: { requests: { storage: '9Gi' } } } },
      { metadata: { annotations: { 'volume.kubernetes.io/selected-node': 'agent' } } },
      { metadata: { annotations: { 'volume.kubernetes.io/selected-node': 'no-node' } } },
      { metadata: { annotations: { 'pv.kubernetes.io/bind-completed': null } } },
      { metadata: { annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } } },
      { metadata: { annotations: { 'pv.kubernetes.io/bound-by-controller': null } } },
      { metadata: { finalizers: null } },
      { metadata: { labels: { more: 'x' } } },
      { spec: { volumeName: volumeOf(c, random) } },
    ]),
  )

const otherVolume: Operation = (c, random) =>
  c.patch(
    volumes,
    volumeOf(c, random),
    random.pick<object>([
      { spec: { claimRef: null } },
      { spec: { claimRef: { uid: null, resourceVersion: null } } },
      { spec: { claimRef: { name: random.pick(claimNames), namespace: c.namespace } } },
      { spec: { persistentVolumeReclaimPolicy: random.pick(['Retain', 'Delete']) } },
      { spec: { capacity: { storage: random.pick(sizes) } } },
      { metadata: { annotations: { 'pv.kubernetes.io/bound-by-controller': 'yes' } } },
      { metadata: { annotations: { 'pv.kubernetes.io/bound-by-controller': null } } },
      { metadata: { labels: { disk: random.pick(['ssd', null]) } } },
      { metadata: { finalizers: null } },
    ]),
  )

const statusOfVolume: Operation = (c, random) =>
  c.status(volumes, volumeOf(c, random), {
    phase: random.pick(['Available', 'Bound', 'Released', 'Failed', 'Pending']),
  })

const statusOfClaim: Operation = (c, random) =>
  c.status(claims, random.pick(claimNames), { phase: random.pick(['Pending', 'Bound', 'Lost']) })

const aPod: Operation = (c, random) => {
  const volume = random.pick<object>([
    { persistentVolumeClaim: { claimName: random.pick(claimNames) } },
    {
      ephemeral: {
        volumeClaimTemplate: {
          metadata: { labels: { from: 'pod' } },
          spec: {
            accessModes: ['ReadWriteOnce'],
            resources: { requests: { storage: '1Gi' } },
            ...classOf(c, random),
          },
        },
      },
    },
  ])
  const spec = { volumes: [{ name: 'data', ...volume }] }
  return c.create(
    pods,
    pod(`p${random.below(3)}`, random.pick(['ready', 'pending', 'succeeds']), spec),
  )
}

const podEnds: Operation = (c, random) =>
  c.patch(pods, `p${random.below(3)}`, { metadata: { annotations: { agent: 'succeeds' } } })

const noPod: Operation = (c, random) => c.delete(pods, `p${random.below(3)}`)

const foreignClaim: Operation = (c, random) =>
  c.create(claims, {
    metadata: { name: `p${random.below(3)}-data` },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      ...classOf(c, random),
    },
  })

export const storageWorlds: readonly World[] = [
  {
    name: 'storage',
    async play(c, random) {
      for (const [name, more] of [
        ['now', { provisioner: 'kubernetes.io/no-provisioner' }],
        [
          'later',
          {
            provisioner: 'kubernetes.io/no-provisioner',
            volumeBindingMode: 'WaitForFirstConsumer',
          },
        ],
        ['driver', { provisioner: 'csi.example.com', allowVolumeExpansion: true }],
      ] as const)
        await c.create(classes, { metadata: { name: `${c.namespace}-${name}` }, ...more })
      await playSome(c, random, { steps: 20 }, [
        ...[aVolume, aVolume, aVolume, noVolume, otherVolume, otherVolume],
        ...[aClaim, aClaim, aClaim, noClaim, otherClaim, otherClaim],
        ...[aPod, aPod, podEnds, noPod, foreignClaim, statusOfVolume, statusOfClaim],
      ])
    },
  },
]
