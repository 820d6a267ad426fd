import type { JsonObject } from '../../../runtime/kernel/values/json.ts'
import { driver } from './random-volumes.ts'
import { itemsOf, type Side } from './side.ts'
import { pathsIn } from './world.ts'

interface Claim {
  readonly metadata: JsonObject & {
    readonly name: string
    readonly annotations?: Readonly<Record<string, string>>
  }
  readonly spec: JsonObject & { readonly volumeName?: string; readonly storageClassName?: string }
}

interface Volume {
  readonly metadata: { readonly name: string }
  readonly spec: { readonly claimRef?: { readonly namespace: string; readonly name: string } }
}

/** Gives claims the volumes that a scheduler chose for them, or that it wants made: as a binder of volumes and a driver would. */
export async function bindClaims(side: Side, namespace: string): Promise<void> {
  const { claims: path, volumes: volumesPath } = pathsIn(namespace)
  const claims = (await itemsOf(side, path)) as unknown as readonly Claim[]
  const unbound = claims.filter(({ spec }) => spec.volumeName === undefined)
  if (unbound.length === 0) return
  const volumes = (await itemsOf(side, volumesPath)) as unknown as readonly Volume[]
  for (const { metadata, spec } of unbound) {
    const { name, annotations = {} } = metadata
    const own = volumes.find(({ spec: { claimRef } }) => {
      return claimRef?.namespace === namespace && claimRef.name === name
    })
    const isWanted = annotations['volume.kubernetes.io/selected-node'] !== undefined
    if (own === undefined && !isWanted) continue
    const volumeName = own?.metadata.name ?? `${namespace}-made-${name}`
    if (own === undefined) await makeVolume(side, namespace, name, spec, volumeName)
    const bound = { 'pv.kubernetes.io/bind-completed': 'yes' }
    const change = { metadata: { annotations: bound }, spec: { volumeName } }
    await side.send('PATCH', `${path}/${name}`, change)
  }
}

async function makeVolume(
  side: Side,
  namespace: string,
  claim: string,
  { storageClassName = '', accessModes = [] }: Claim['spec'],
  name: string,
): Promise<void> {
  await side.send('POST', pathsIn(namespace).volumes, {
    ...{ apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name } },
    spec: {
      ...{ capacity: { storage: '10Gi' }, accessModes, storageClassName },
      csi: { driver, volumeHandle: name },
      claimRef: { kind: 'PersistentVolumeClaim', namespace, name: claim },
    },
  })
}
