/** kubectl on a kind of the user's own: `orch up --schemas` serves it, and kubectl sends merge patches for it. */
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { packageRoot } from '../../codegen/main.ts'
import { defaultKubectl, type Kubectl, kubectl } from '../support/kubectl.ts'
import { clusterControllers, orchCommand, type Running, startProgram } from '../support/orch.ts'
import { tempDirectory } from '../support/temp.ts'

const own = suite('e2e: a kind of one’s own')
const binary = defaultKubectl()

let running: Running
let ctl: Kubectl

if (binary === undefined) {
  console.log(
    'SKIP kubectl on own kinds: there is no kubectl in PATH (Debian: apt-get install kubernetes-client)',
  )
} else {
  own.before(async () => {
    const home = tempDirectory()
    const orchconfig = join(home, 'orchconfig')
    const platform = join(packageRoot, 'schemas/platform/kubernetes.yaml')
    const schemas = join(packageRoot, 'examples/operator/schemas')
    const args = [
      'up',
      clusterControllers,
      '--orchconfig',
      orchconfig,
      '--platform',
      platform,
      '--schemas',
      schemas,
    ]
    running = await startProgram(orchCommand, args)
    ctl = kubectl(binary, orchconfig, home, { KUBE_EDITOR: 'sed -i s/Hello/Hi/' })
  })
  own.after(async () => {
    assert.is(await running.stop(), 0)
  })

  own('apply creates, changes, and finds nothing to do', async () => {
    assert.match(
      await ctl.ok('apply -f -', website('home', 'Hello', 1)),
      'website.web.example.com/home created',
    )
    assert.match(await ctl.ok('apply -f -', website('home', 'Hello', 3)), 'configured')
    assert.match(await ctl.ok('apply -f -', website('home', 'Hello', 3)), 'unchanged')
    assert.is(
      await ctl.ok('get website home -o jsonpath={.spec.servers}/{.metadata.generation}'),
      '3/2',
    )
  })

  own('the columns of the schema are printed, under the short name too', async () => {
    const table = await ctl.ok('get site')
    assert.match(table, /^NAME +TITLE +PAGES +SERVERS +AGE$/m)
    assert.match(table, /^home +Hello +\S* +\d+s$/m)
  })

  own('edit changes what the editor changed', async () => {
    assert.match(await ctl.ok('edit website home'), 'edited')
    assert.is(await ctl.ok('get website home -o jsonpath={.spec.title}'), 'Hi')
  })

  own('every finding of a wrong object is named at once', async () => {
    const { code, stderr } = await ctl.run('create --validate=false -f -', website('bad', '', 101))
    assert.is(code, 1)
    assert.match(stderr, 'spec.title')
    assert.match(stderr, 'spec.servers: Invalid value: 101: must be between 0 and 100, inclusive')
  })

  own('explain shows the descriptions of the schema', async () => {
    assert.match(
      await ctl.ok('explain website.spec.title'),
      'What visitors read on top of every page.',
    )
  })
}

own.run()

function website(name: string, title: string, servers: number): string {
  return `apiVersion: web.example.com/v1
kind: Website
metadata: { name: ${name} }
spec: { title: '${title}', servers: ${servers} }
`
}
