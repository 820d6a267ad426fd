/** Claims and volumes, and what they hang on. */
import { type ControllerScenarios, claims, classes, pod, pods, volumes } from './shapes.ts'
import { node } from './workloads.ts'

const gi = (storage: string) => ({ requests: { storage } })

function claim(name: string, spec: object = {}): object {
  return {
    metadata: { name },
    spec: { accessModes: ['ReadWriteOnce'], resources: gi('1Gi'), ...spec },
  }
}

function volume(name: string, spec: object = {}): object {
  return {
    metadata: { name },
    spec: {
      capacity: { storage: '2Gi' },
      accessModes: ['ReadWriteOnce'],
      hostPath: { path: `/tmp/${name}` },
      ...spec,
    },
  }
}

const withClaim = (claimName: string) => ({
  volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }],
})

export const storage: ControllerScenarios = {
  's-bind': async (c) => {
    await c.create(volumes, volume('s-bind-a', { storageClassName: 's-bind' }))
    await c.create(claims, claim('one', { storageClassName: 's-bind' }))
    await c.has(claims, 'one', ({ status }) => status.phase === 'Bound')
    await c.create(claims, claim('two', { storageClassName: 's-bind' }))
    await c.count('v1/events', 1, ({ involvedObject }) => involvedObject.name === 'two')
    await c.delete(claims, 'one')
    await c.has(volumes, 's-bind-a', ({ status }) => status.phase === 'Released')
  },
  's-bind-later': async (c) => {
    await c.create(classes, {
      metadata: { name: 's-bind-later' },
      provisioner: 'kubernetes.io/no-provisioner',
      volumeBindingMode: 'WaitForFirstConsumer',
    })
    await c.create(claims, claim('one', { storageClassName: 's-bind-later' }))
    await c.count('v1/events', 1, ({ reason }) => reason === 'WaitForFirstConsumer')
    await c.create(claims, claim('outside', { storageClassName: 's-bind-later-x' }))
    await c.create(classes, {
      metadata: { name: 's-bind-later-y' },
      provisioner: 'csi.example.com',
    })
    await c.create(claims, claim('driver', { storageClassName: 's-bind-later-y' }))
    await c.has(
      claims,
      'driver',
      ({ metadata }) => Object.keys(metadata.annotations ?? {}).length > 0,
    )
  },
  's-bind-lost': async (c) => {
    await c.create(volumes, volume('s-bind-lost-a', { storageClassName: 's-bind-lost' }))
    await c.create(
      claims,
      claim('one', { storageClassName: 's-bind-lost', volumeName: 's-bind-lost-a' }),
    )
    await c.has(claims, 'one', ({ status }) => status.phase === 'Bound')
    await c.delete(volumes, 's-bind-lost-a')
    await c.patch(volumes, 's-bind-lost-a', { metadata: { finalizers: null } })
    await c.has(claims, 'one', ({ status }) => status.phase === 'Lost')
  },
  's-protect': async (c) => {
    await c.create(volumes, volume('s-protect-a', { storageClassName: 's-protect' }))
    await c.create(claims, claim('one', { storageClassName: 's-protect' }))
    await c.has(claims, 'one', ({ status }) => status.phase === 'Bound')
    await c.create(pods, pod('user', 'ready', { ...withClaim('one'), nodeName: 's-protect-node' }))
    await c.has(pods, 'user', ({ status }) => status.phase === 'Running')
    await c.delete(claims, 'one')
    await c.delete(volumes, 's-protect-a')
    await c.delete(pods, 'user')
    await c.gone(claims, 'one')
    await c.until('the volume', async () => (await c.find(volumes, 's-protect-a')) === undefined)
  },
  's-ephemeral': async (c) => {
    const volumeClaimTemplate = {
      spec: {
        accessModes: ['ReadWriteOnce'],
        storageClassName: 's-ephemeral',
        resources: gi('1Gi'),
      },
    }
    await c.create(
      pods,
      pod('a', 'ready', { volumes: [{ name: 'data', ephemeral: { volumeClaimTemplate } }] }),
    )
    await c.count(claims, 1)
    await c.create(claims, claim('b-data', { storageClassName: 's-ephemeral' }))
    await c.create(
      pods,
      pod('b', 'pending', { volumes: [{ name: 'data', ephemeral: { volumeClaimTemplate } }] }),
    )
    await c.count('v1/events', 1, ({ involvedObject }) => involvedObject.name === 'b')
    await c.delete(pods, 'a')
    await c.gone(claims, 'a-data')
  },
  's-expand': async (c) => {
    await c.create(classes, {
      metadata: { name: 's-expand' },
      provisioner: 'csi.example.com',
      allowVolumeExpansion: true,
    })
    await c.create(
      volumes,
      volume('s-expand-a', {
        storageClassName: 's-expand',
        hostPath: undefined,
        csi: { driver: 'csi.example.com', volumeHandle: 'a' },
      }),
    )
    await c.create(claims, claim('one', { storageClassName: 's-expand' }))
    await c.has(claims, 'one', ({ status }) => status.phase === 'Bound')
    await c.patch(claims, 'one', { spec: { resources: gi('4Gi') } })
    await c.count('v1/events', 1, ({ reason }) => reason === 'ExternalExpanding')
  },
  's-attach': async (c) => {
    await node(c, 's-attach-node', {})
    await c.patch('v1/nodes', 's-attach-node', {
      metadata: {
        annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' },
      },
    })
    await c.create('storage.k8s.io/v1/csidrivers', {
      metadata: { name: 's-attach.example.com' },
      spec: { attachRequired: true },
    })
    await c.create('storage.k8s.io/v1/csinodes', {
      metadata: { name: 's-attach-node' },
      spec: { drivers: [{ name: 's-attach.example.com', nodeID: 'n', topologyKeys: [] }] },
    })
    await c.create(
      volumes,
      volume('s-attach-a', {
        storageClassName: 's-attach',
        hostPath: undefined,
        csi: { driver: 's-attach.example.com', volumeHandle: 'a' },
      }),
    )
    await c.create(claims, claim('one', { storageClassName: 's-attach' }))
    await c.has(claims, 'one', ({ status }) => status.phase === 'Bound')
    await c.create(pods, pod('user', 'ready', { ...withClaim('one'), nodeName: 's-attach-node' }))
    const attachments = 'storage.k8s.io/v1/volumeattachments'
    const mine = async () =>
      (await c.list(attachments)).find(({ spec }) => spec.nodeName === 's-attach-node')
    await c.until('the attachment', async () => (await mine()) !== undefined)
    await c.status(attachments, (await mine())?.metadata.name ?? '', { attached: true })
    await c.has('v1/nodes', 's-attach-node', ({ status }) => status.volumesAttached?.length === 1)
    await c.delete(pods, 'user')
    await c.until('no attachment', async () => (await mine()) === undefined)
    await c.has(
      'v1/nodes',
      's-attach-node',
      ({ status }) => (status.volumesAttached ?? []).length === 0,
    )
  },
}
