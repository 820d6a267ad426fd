/** What is behind a gate: claims for devices, ranges of service addresses, versions of storage. */
import { type ControllerScenarios, pod, pods } from './shapes.ts'

const group = 'resource.k8s.io/v1alpha2'
const ranges = 'networking.k8s.io/v1alpha1/servicecidrs'

export const gated: ControllerScenarios = {
  's-devices': async (c) => {
    await c.create(`${group}/resourceclasses`, {
      metadata: { name: 's-devices' },
      driverName: 'driver.example.com',
    })
    await c.create(`${group}/resourceclaimtemplates`, {
      metadata: { name: 'some' },
      spec: { spec: { resourceClassName: 's-devices' } },
    })
    await c.create(
      pods,
      pod('a', 'pending', {
        resourceClaims: [{ name: 'gpu', source: { resourceClaimTemplateName: 'some' } }],
      }),
    )
    await c.count(`${group}/resourceclaims`, 1)
    await c.has(pods, 'a', ({ status }) => status.resourceClaimStatuses?.length === 1)
    await c.create(
      pods,
      pod('none', 'pending', {
        resourceClaims: [{ name: 'gpu', source: { resourceClaimTemplateName: 'absent' } }],
      }),
    )
    await c.count('v1/events', 1, ({ involvedObject }) => involvedObject.name === 'none')
    const [claim] = await c.list(`${group}/resourceclaims`)
    const own = await c.get(pods, 'a')
    await c.status(`${group}/resourceclaims`, claim?.metadata.name ?? '', {
      driverName: 'driver.example.com',
      allocation: { shareable: false },
      reservedFor: [{ resource: 'pods', name: 'a', uid: own.metadata.uid }],
    })
    await c.delete(pods, 'a')
    await c.until('claim is given back', async () => {
      const [one] = await c.list(`${group}/resourceclaims`)
      return one === undefined || (one.status.reservedFor ?? []).length === 0
    })
  },
  's-versions': async (c) => {
    const versions = 'internal.apiserver.k8s.io/v1alpha1/storageversions'
    const labels = { 'apiserver.kubernetes.io/identity': 'kube-apiserver' }
    const system = c.in('kube-system')
    await system.create('coordination.k8s.io/v1/leases', {
      metadata: { name: 's-versions-there', labels },
      spec: { holderIdentity: 'there', leaseDurationSeconds: 3600 },
    })
    const [there, away] = ['s-versions-there', 's-versions-away'].map((apiServerID) => ({
      ...{ apiServerID, encodingVersion: 'v1' },
      ...{ decodableVersions: ['v1'], servedVersions: ['v1'] },
    }))
    for (const [name, storageVersions] of [
      ['s-versions-both.things', [there, away]],
      ['s-versions-none.things', [away]],
    ] as const) {
      await c.create(versions, { metadata: { name }, spec: {} })
      await c.status(versions, name, { storageVersions, commonEncodingVersion: 'v1' })
    }
    await c.gone(versions, 's-versions-none.things')
    await system.delete('coordination.k8s.io/v1/leases', 's-versions-there')
    await c.gone(versions, 's-versions-both.things')
  },
  's-ranges': async (c) => {
    await c.create(ranges, { metadata: { name: 's-ranges-a' }, spec: { cidrs: ['10.77.0.0/24'] } })
    await c.has(ranges, 's-ranges-a', ({ status }) => status?.conditions?.length === 1)
    await c.create('networking.k8s.io/v1alpha1/ipaddresses', {
      metadata: {
        name: '10.77.0.5',
        labels: {
          'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
          'ipaddress.kubernetes.io/ip-family': 'IPv4',
        },
      },
      spec: { parentRef: { group: '', resource: 'services', namespace: 'default', name: 'x' } },
    })
    await c.delete(ranges, 's-ranges-a')
    await c.has(ranges, 's-ranges-a', ({ status }) => status?.conditions?.[0]?.status === 'False')
    await c.delete('networking.k8s.io/v1alpha1/ipaddresses', '10.77.0.5')
    await c.until('the range', async () => (await c.find(ranges, 's-ranges-a')) === undefined)
  },
}
