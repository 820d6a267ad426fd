import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { selectionProblems } from '../../../runtime/admission/admission.ts'
import { selected } from '../../../runtime/admission/selection.ts'
import { make, openAdmitted, pod } from '../../support/admission.ts'
import { rejects } from '../../support/rejects.ts'

const test = suite('runtime/admission: selection')

test('plugins stand in their order, whatever order they are named in (Q-01)', () => {
  const names = selected({ enable: ['AlwaysDeny', 'AlwaysPullImages'] }).map(({ name }) => name)
  assert.is(names[0], 'NamespaceLifecycle')
  assert.is(names.at(-1), 'AlwaysDeny')
  assert.ok(names.indexOf('AlwaysPullImages') < names.indexOf('Priority'))
  assert.not.ok(selected({ disable: ['Priority'] }).some(({ name }) => name === 'Priority'))
})

test('a selection that cannot be meant is told (Q-01, Q-27)', () => {
  const problems = selectionProblems({
    enable: ['Prioriti', 'Priority', 'EventRateLimit'],
    disable: ['Priority', 'Nothing'],
  })
  assert.equal(problems, [
    'enable-admission-plugins plugin "Prioriti" is unknown; did you mean Priority?',
    'enable-admission-plugins plugin "EventRateLimit" is known by name only: this server does not do what it stands for',
    'disable-admission-plugins plugin "Nothing" is unknown',
    'Priority in enable-admission-plugins and disable-admission-plugins overlapped',
  ])
  assert.equal(selectionProblems({ disable: ['EventRateLimit'] }), [])
})

test('a plugin that refuses everything refuses everything (Q-03)', async () => {
  const opened = await openAdmitted({ only: ['NamespaceLifecycle'] })
  await make(opened, 'api/v1/pods', pod('a'))
  await opened.close()
  const closed = await openAdmitted({ enable: ['AlwaysPullImages'], disable: ['Priority'] })
  const { object } = await make<{ readonly spec: Record<string, unknown> }>(
    closed,
    'api/v1/pods',
    pod('b'),
  )
  assert.is(object.spec.priority, undefined)
  const [container] = object.spec.containers as readonly { readonly imagePullPolicy: string }[]
  assert.is(container?.imagePullPolicy, 'Always')
  await closed.close()
})

test('external addresses may be denied (Q-27)', async () => {
  const opened = await openAdmitted({ enable: ['DenyServiceExternalIPs'] })
  const spec = { ports: [{ port: 80 }], externalIPs: ['192.0.2.1'] }
  const error = await rejects(
    make(opened, 'api/v1/services', { metadata: { name: 'web' }, spec }),
    'Forbidden',
  )
  assert.is(
    error.message,
    'services "web" is forbidden: Use of external IPs is denied by admission control',
  )
  await opened.close()
})

test.run()
