/**
 * kubectl applies: on its own side and on the server's, with conflicts, diff, edit and strategic patches; under the public
 * ecosystem's names, which public kubectl looks for in schema documents.
 */
import { basename, dirname, join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { packageRoot } from '../../codegen/main.ts'
import { defaultKubectl, type Kubectl, kubectl, versionedKubectls } from '../support/kubectl.ts'
import { clusterControllers, orchCommand, type Running, startProgram } from '../support/orch.ts'
import { tempDirectory } from '../support/temp.ts'

const tests = suite('e2e: kubectl applies')
const found = defaultKubectl()
/** What the others do is between these: `e2e/kubectl` runs all. */
const wanted = /\.1\.(27|29|33)$/
const binaries = [found, ...versionedKubectls().filter((one) => wanted.test(one))].filter(
  (file) => file !== undefined,
)
if (found === undefined) {
  console.log(
    'SKIP kubectl applies: there is no kubectl in PATH (Debian: apt-get install kubernetes-client)',
  )
}

const home = tempDirectory()
const orchconfig = join(home, 'orchconfig')
let running: Running

if (found !== undefined) {
  tests.before(async () => {
    const platform = join(packageRoot, 'schemas/platform/kubernetes.yaml')
    const args = ['up', clusterControllers, '--orchconfig', orchconfig, '--platform', platform]
    running = await startProgram(orchCommand, args)
  })
  tests.after(async () => {
    assert.is(await running.stop(), 0)
  })
  for (const file of binaries) describe(file)
}

function describe(file: string): void {
  const version = basename(file).replace('kubectl.', '')
  const name = `a-${version.replaceAll('.', '-')}`
  const ctl = kubectl(file, orchconfig, join(dirname(orchconfig), name), {
    KUBE_EDITOR: 'sed -i s/v9/v10/',
  })

  tests(
    `${version}: apply creates, changes and finds nothing to do (CL-04, P-05, P-11)`,
    async () => {
      await ctl.ok('create -f -', `apiVersion: v1\nkind: Namespace\nmetadata: { name: ${name} }\n`)
      const run = (text: string) => ctl.ok(`apply -n ${name} -f -`, text)
      assert.match(await run(deployment('client', 'v1')), 'deployment.apps/client created')
      assert.match(await run(deployment('client', 'v1')), 'unchanged')
      assert.match(await run(deployment('client', 'v2', 'side')), 'configured')
      assert.is(await images(ctl, name, 'client'), 'main:v2 side:v2')
      assert.match(await run(deployment('client', 'v2')), 'configured')
      assert.is(await images(ctl, name, 'client'), 'main:v2')
    },
  )

  tests(
    `${version}: apply --server-side, conflicts, and force (CL-05, A-12, A4.58, A4.61)`,
    async () => {
      const run = (text: string, more = '') =>
        ctl.run(`apply -n ${name} --server-side${more} -f -`, text)
      const made = await run(deployment('server', 'v1'))
      assert.match(made.stdout, 'deployment.apps/server serverside-applied', made.stderr)
      const before = await resourceVersion(ctl, name, 'server')
      assert.is((await run(deployment('server', 'v1'))).code, 0)
      assert.is(await resourceVersion(ctl, name, 'server'), before)
      await ctl.ok(`set image deployment/server -n ${name} main=example.com/server:v7`)
      const refused = await run(deployment('server', 'v2'))
      assert.is(refused.code, 1)
      assert.match(
        refused.stderr,
        'Apply failed with 1 conflict: conflict with "kubectl-set" using apps/v1: ' +
          '.spec.template.spec.containers[name="main"].image',
      )
      const forced = await run(deployment('server', 'v2'), ' --force-conflicts')
      assert.is(forced.code, 0, forced.stderr)
      assert.is(await images(ctl, name, 'server'), 'main:v2')
      const other = await run(deployment('server', 'v2', 'side'), ' --field-manager=other')
      assert.is(other.code, 0, other.stderr)
      assert.match(
        await ctl.ok(`get deployment server -n ${name} -o yaml --show-managed-fields`),
        /manager: other\n +operation: Apply/,
      )
    },
  )

  tests(`${version}: what was applied on the client's side is taken over (A-18)`, async () => {
    await ctl.ok(`apply -n ${name} -f -`, deployment('moved', 'v1'))
    const moved = await ctl.run(`apply -n ${name} --server-side -f -`, deployment('moved', 'v2'))
    assert.is(moved.code, 0, moved.stderr)
    assert.is(await images(ctl, name, 'moved'), 'main:v2')
    const back = await ctl.run(`apply -n ${name} -f -`, deployment('moved', 'v3'))
    assert.is(back.code, 0, back.stderr)
    assert.is(await images(ctl, name, 'moved'), 'main:v3')
  })

  tests(`${version}: diff tells what an apply would change (CL-17, F-13)`, async () => {
    await ctl.ok(`apply -n ${name} -f -`, deployment('diffed', 'v1'))
    assert.is((await ctl.run(`diff -n ${name} -f -`, deployment('diffed', 'v1'))).code, 0)
    for (const more of ['', ' --server-side --force-conflicts']) {
      const { code, stdout, stderr } = await ctl.run(
        `diff -n ${name}${more} -f -`,
        deployment('diffed', 'v2'),
      )
      assert.is(code, 1, stderr)
      assert.match(stdout, /^\+ .*example\.com\/diffed:v2$/m)
    }
    assert.is(await images(ctl, name, 'diffed'), 'main:v1')
  })

  tests(`${version}: edit, and patches of the strategic kind (CL-07, CL-08, P-05)`, async () => {
    await ctl.ok(`apply -n ${name} -f -`, deployment('edited', 'v9'))
    await ctl.ok(`edit deployment edited -n ${name}`)
    assert.is(await images(ctl, name, 'edited'), 'main:v10')
    const side =
      '{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"example.com/s:v1"}]}}}}'
    await ctl.ok(`patch deployment edited -n ${name} -p ${side}`)
    assert.is(await images(ctl, name, 'edited'), 'side:v1 main:v10')
    const gone = '{"spec":{"template":{"spec":{"containers":[{"name":"side","$patch":"delete"}]}}}}'
    await ctl.ok(`patch deployment edited -n ${name} --type strategic -p ${gone}`)
    assert.is(await images(ctl, name, 'edited'), 'main:v10')
    await ctl.ok(`set env deployment/edited -n ${name} COLOR=blue`)
    await ctl.ok(`set resources deployment/edited -n ${name} --limits=cpu=200m`)
    const managers = await ctl.ok(
      `get deployment edited -n ${name} -o jsonpath={.metadata.managedFields[*].manager}`,
    )
    for (const manager of ['kubectl-client-side-apply', 'kubectl-edit', 'kubectl-set']) {
      assert.match(managers, manager)
    }
    assert.not.match(managers, 'kubectl-patch', 'it manages nothing any more')
  })
}

/** The containers of a deployment and the tags of their images. */
async function images(ctl: Kubectl, namespace: string, name: string): Promise<string> {
  const range = '{range.spec.template.spec.containers[*]}{.name}={.image};{end}'
  const text = await ctl.ok(`get deployment ${name} -n ${namespace} -o jsonpath=${range}`)
  const found = text.split(';').filter((part) => part !== '')
  return found.map((part) => part.replace(/=.*:/, ':')).join(' ')
}

function resourceVersion(ctl: Kubectl, namespace: string, name: string): Promise<string> {
  return ctl.ok(`get deployment ${name} -n ${namespace} -o jsonpath={.metadata.resourceVersion}`)
}

function deployment(name: string, tag: string, ...more: readonly string[]): string {
  const containers = ['main', ...more].map(
    (container) => `{ name: ${container}, image: 'example.com/${name}:${tag}' }`,
  )
  return `apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name} }
spec:
  replicas: 1
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec: { containers: [${containers.join(', ')}] }
`
}

tests.run()
