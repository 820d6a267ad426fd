import type { ConfigMap } from '../../../generated/apis/core/v1/config-map.ts'
import { createClient, type Resource } from '../../../runtime/client/client.ts'
import { startControlPlane } from '../../../runtime/testing/testing.ts'
import { resourceContract } from './resource-contract.ts'

for (const socket of [false, true]) {
  resourceContract(`runtime/client: verbs ${socket ? 'over a socket' : 'in process'}`, async () => {
    const { client, transport, stop } = await startControlPlane({ socket })
    return { client, clientIn: (namespace) => createClient(transport, { namespace }), stop }
  })
}

/** What the types of an intent refuse; it only has to compile. */
export function refused(maps: Resource<ConfigMap>): readonly unknown[] {
  return [
    // @ts-expect-error an intent says whose it is
    maps.apply({ metadata: {}, data: { a: '1' } }),
    // @ts-expect-error a value has its type
    maps.apply({ metadata: { name: 'x' }, data: { a: 1 } }),
    // @ts-expect-error a field is known
    maps.apply({ metadata: { name: 'x' }, date: { a: '1' } }),
    // @ts-expect-error records are the server's
    maps.apply({ metadata: { name: 'x', managedFields: [] } }),
  ]
}
