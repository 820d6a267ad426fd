/** kubectl makes jobs, waits for them, and shows what became of them. */
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { hangFlag } from '../support/deadline.ts'
import { defaultKubectl, type Kubectl, kubectl } from '../support/kubectl.ts'
import { orchCommand, type Running, startProgram } from '../support/orch.ts'
import { tempDirectory } from '../support/temp.ts'
import { until } from '../support/until.ts'

const tests = suite('e2e: jobs with kubectl')
const template = {
  spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'work' }] },
}
const cronJob = {
  ...{ apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name: 'tick' } },
  spec: { schedule: '59 23 31 12 *', jobTemplate: { spec: { template } } },
}
const binary = defaultKubectl()

if (binary === undefined) console.log('SKIP jobs with kubectl: there is no kubectl in PATH')
else describe(binary)

function describe(program: string): void {
  let running: Running
  let ctl: Kubectl
  const home = tempDirectory()

  tests.before(async () => {
    const orchconfig = join(home, 'orchconfig')
    const controllers = '--controllers=job-controller,cronjob-controller'
    running = await startProgram(orchCommand, ['up', '--orchconfig', orchconfig, controllers])
    ctl = kubectl(program, orchconfig, home)
  })
  tests.after(async () => {
    assert.is(await running.stop(), 0)
  })

  tests('a job that is made from a cron job runs, is waited for, and is described', async () => {
    await ctl.ok('apply -f -', JSON.stringify(cronJob))
    await ctl.ok('create job now --from=cronjob/tick')
    const pod = 'get pods -l job-name=now -o jsonpath={.items[*].metadata.name}'
    const name = await until('its pod is there', async () => (await ctl.ok(pod)) || undefined)
    const status = '{"status":{"phase":"Succeeded"}}'
    await ctl.ok(`patch pod ${name} --subresource=status --type=merge -p ${status}`)
    const met = await ctl.ok(`wait --for=condition=complete job/now ${hangFlag}`)
    assert.match(met, 'condition met')
    assert.match(await ctl.ok('get job now'), /^now +1\/1 /m)
    const told = await until('its events are there', async () => {
      const text = await ctl.ok('describe job now')
      return text.includes('Job completed') && text.includes('Created pod: now-') ? text : undefined
    })
    assert.match(told, /^Controlled By: +CronJob\/tick$/m)
    assert.match(told, /0 Active \(0 Ready\) \/ 1 Succeeded \/ 0 Failed/)
    assert.match(await ctl.ok('describe cronjob tick'), /^Schedule: +59 23 31 12 \*$/m)
  })
}

tests.run()
