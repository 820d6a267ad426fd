/**
 * DenyServiceExternalIPs, and the example of a plugin's test: a registry with the plugin, a request that it rejects with
 * the exact message, and one that it lets pass.
 */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { change, make, openAdmitted } from '../../../support/admission.ts'
import { assertRejects } from '../../../support/rejects.ts'

const test = suite('runtime/admission: DenyServiceExternalIPs')

const services = 'api/v1/services'
const service = (name: string, externalIPs: readonly string[]) => ({
  metadata: { name },
  spec: { ports: [{ port: 80 }], externalIPs },
})

test('a new service with an external IP is forbidden (Q-27)', async () => {
  const opened = await openAdmitted({ enable: ['DenyServiceExternalIPs'] })
  const error = await assertRejects(
    make(opened, services, service('web', ['192.0.2.1'])),
    'Forbidden',
  )
  assert.is(
    error.message,
    'services "web" is forbidden: Use of external IPs is denied by admission control',
  )
  await opened.close()
})

test('an update may remove external IPs and not add any (Q-27)', async () => {
  const opened = await openAdmitted({ enable: ['DenyServiceExternalIPs'] })
  await make(opened, services, service('web', []))
  const added = { spec: { externalIPs: ['192.0.2.1'] } }
  await assertRejects(change(opened, services, 'web', added), 'Forbidden')
  const kept = await change(opened, services, 'web', { metadata: { labels: { a: 'b' } } })
  assert.ok(kept.object)
  await opened.close()
})

test.run()
