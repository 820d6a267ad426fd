import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { metrics as table } from '../../../../generated/metrics.ts'
import { createMetrics } from '../../../../runtime/observe/observe.ts'
import { make } from '../../../support/admission.ts'
import {
  allow,
  deny,
  openWithWebhooks,
  patching,
  type RegistryWithWebhooks,
  withHooks,
} from '../../../support/webhooks.ts'

const test = suite('runtime/admission: what is counted')

const maps = 'api/v1/configmaps'
let next = 0
const map = () => ({ metadata: { name: `m${next++}` } })

async function counted(work: (opened: RegistryWithWebhooks) => Promise<void>) {
  const metrics = createMetrics(table, { release: '1.29.0' })
  const opened = await openWithWebhooks({ metrics })
  try {
    await work(opened)
  } finally {
    await opened.close()
  }
  return metrics.text('prometheus').split('\n')
}

async function refused(opened: RegistryWithWebhooks, why: RegExp): Promise<void> {
  const error: unknown = await make(opened, maps, map()).catch((thrown: unknown) => thrown)
  assert.match(String(error), why)
}

const calls = (lines: readonly string[]) =>
  lines.filter((line) =>
    line.startsWith('apiserver_admission_webhook_admission_duration_seconds_count'),
  )

// H-08
test('a webhook is timed under its name, whether it lets pass or refuses', async () => {
  const lines = await counted(async (opened) => {
    const hooks = [
      { name: 'change', mutating: true, answer: patching() } as const,
      { name: 'look', answer: allow },
    ]
    await withHooks(opened, hooks, async () => {
      await make(opened, maps, map())
      await make(opened, maps, map())
    })
    await withHooks(opened, [{ name: 'never', answer: deny() }], () =>
      refused(opened, /denied the request/),
    )
  })
  const name = 'apiserver_admission_webhook_admission_duration_seconds_count'
  assert.equal(calls(lines).sort(), [
    `${name}{name="change.example.com",operation="CREATE",rejected="false",type="admit"} 2`,
    `${name}{name="look.example.com",operation="CREATE",rejected="false",type="validating"} 2`,
    `${name}{name="never.example.com",operation="CREATE",rejected="true",type="validating"} 1`,
  ])
})

//
test('a failure that is passed over is counted, and refuses nothing', async () => {
  const broken = () => 'nothing that can be understood'
  const lines = await counted(async (opened) => {
    const hooks = [
      { name: 'a', mutating: true, answer: broken, fields: { failurePolicy: 'Ignore' } } as const,
      { name: 'b', answer: broken, fields: { failurePolicy: 'Ignore' } },
    ]
    await withHooks(opened, hooks, async () => {
      await make(opened, maps, map())
    })
    await withHooks(opened, [{ name: 'c', answer: broken }], () =>
      refused(opened, /failed calling webhook/),
    )
  })
  const open = lines.filter((line) =>
    line.startsWith('apiserver_admission_webhook_fail_open_count'),
  )
  assert.equal(open, [
    'apiserver_admission_webhook_fail_open_count{name="a.example.com",type="admit"} 1',
    'apiserver_admission_webhook_fail_open_count{name="b.example.com",type="validating"} 1',
  ])
  assert.equal(
    calls(lines).map((line) => /name="(.)\..*rejected="(\w+)"/.exec(line)?.slice(1).join(' ')),
    ['a false', 'b false', 'c true'],
  )
})

test.run()
