/** Objects of the platform that a request for one does not delete. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { priorityClasses } from '../../../../generated/apis/scheduling/v1.ts'
import { StatusError } from '../../../../runtime/kernel/errors/status-error.ts'
import { startControlPlane } from '../../../../runtime/testing/testing.ts'

const test = suite('runtime/registry/verbs: what is not deleted')

test('the classes of the platform stay, those of users go (O-06)', async () => {
  await using plane = await startControlPlane()
  const classes = plane.client.resource(priorityClasses)
  await classes.create({ metadata: { name: 'mine' }, value: 1 })
  for (const name of ['system-node-critical', 'system-cluster-critical']) {
    const refused = await classes.delete(name).catch((error: unknown) => error)
    assert.instance(refused, StatusError)
    const { code, message } = refused as StatusError
    assert.is(code, 403)
    const why = 'is forbidden: this is a system priority class and cannot be deleted'
    assert.is(message, `priorityclasses.scheduling.orch.io "${name}" ${why}`)
  }
  await classes.delete('mine')
  assert.is(await classes.find('mine'), undefined)
})

test.run()
