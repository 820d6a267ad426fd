import { createLoopbackClient } from '../../../runtime/loopback/loopback.ts'
import { openRegistry } from '../../support/registry.ts'
import { resourceContract } from '../client/resource-contract.ts'

resourceContract('runtime/loopback: verbs', async () => {
  const { registry, close } = await openRegistry()
  const clientIn = (namespace: string) =>
    createLoopbackClient({ registry, manager: 'client', namespace })
  return { client: clientIn('default'), clientIn, stop: close }
})
