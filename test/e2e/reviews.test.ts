/** kubectl asks who it is and what it may do. N-12, N-13, Z-12 to Z-15, CL-13 */
import { basename, join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { packageRoot } from '../../codegen/main.ts'
import { defaultKubectl, type Kubectl, kubectl, versionedKubectls } from '../support/kubectl.ts'
import { clusterControllers, orchCommand, type Running, startProgram } from '../support/orch.ts'
import { tempDirectory } from '../support/temp.ts'

const binary = defaultKubectl()
if (binary === undefined) console.log('SKIP kubectl: there is no kubectl in PATH')
else {
  describe(binary, 'orch', 'orch.io')
  describe(binary, 'kubernetes', 'k8s.io')
}

function describe(file: string, platform: string, api: string): void {
  const tests = suite(`e2e: kubectl asks for its rights (${platform})`)
  const home = tempDirectory()
  const orchconfig = join(home, 'orchconfig')
  let running: Running
  let ctl: Kubectl

  tests.before(async () => {
    const names = join(packageRoot, `schemas/platform/${platform}.yaml`)
    const beta = `--runtime-config=authentication.${api}/v1beta1`
    const args = ['up', clusterControllers, beta, '--orchconfig', orchconfig]
    running = await startProgram(
      orchCommand,
      platform === 'orch' ? args : [...args, '--platform', names],
    )
    ctl = kubectl(file, orchconfig, home)
  })
  tests.after(async () => {
    assert.is(await running.stop(), 0)
  })

  tests('every kind of questions is in discovery', async () => {
    const names = (await ctl.ok('api-resources -o name --verbs=create')).split('\n')
    for (const kind of ['selfsubjectreviews', 'tokenreviews'])
      assert.ok(names.includes(`${kind}.authentication.${api}`), kind)
    for (const kind of ['', 'local', 'self'])
      assert.ok(names.includes(`${kind}subjectaccessreviews.authorization.${api}`), kind)
    assert.ok(names.includes(`selfsubjectrulesreviews.authorization.${api}`))
    assert.not.match(await ctl.ok('get --raw /apis'), `authentication.${api}/v1alpha1`)
  })

  tests('a review that is created comes back with its answer', async () => {
    const answered = async (group: string, kind: string, spec: object, metadata = {}) => {
      const asked = { apiVersion: `${group}.${api}/v1`, kind, metadata, spec }
      return JSON.parse(await ctl.ok('create -o json --validate=false -f -', JSON.stringify(asked)))
        .status
    }
    const resourceAttributes = { verb: 'get', resource: 'pods', namespace: 'default' }
    const about = { user: 'jane', resourceAttributes }
    const admin = { ...about, groups: ['system:masters'] }
    const [yes, no] = [{ allowed: true }, { allowed: false }]
    assert.equal(await answered('authorization', 'SubjectAccessReview', about), no)
    assert.equal(await answered('authorization', 'SubjectAccessReview', admin), yes)
    const here = { namespace: 'default' }
    assert.equal(await answered('authorization', 'LocalSubjectAccessReview', about, here), no)
    assert.equal(await answered('authorization', 'LocalSubjectAccessReview', admin, here), yes)
    const unknown = { user: {}, error: 'invalid bearer token' }
    assert.equal(await answered('authentication', 'TokenReview', { token: 'a' }), unknown)
  })

  if (platform === 'kubernetes') {
    const wanted = ['kubectl.1.27', 'kubectl.1.29', 'kubectl.1.33']
    const found = versionedKubectls().filter((one) => wanted.includes(basename(one)))
    for (const one of found.length > 0 ? found : [file]) {
      tests(`${basename(one)} learns who it is and what it may do`, async () => {
        const own = kubectl(one, orchconfig, tempDirectory())
        const who = await own.ok('auth whoami')
        assert.match(who, /Username +kubernetes-admin/)
        assert.match(who, /Groups +\[system:masters.*\]/)
        assert.is(await own.ok('auth can-i create pods'), 'yes\n')
        assert.is(await own.ok('auth can-i get /healthz'), 'yes\n')
        const rules = await own.ok('auth can-i --list')
        assert.match(rules, /^\*\.\* +\[\] +\[\] +\[\*\]$/m)
        assert.match(rules, /^ +\[\*\] +\[\] +\[\*\]$/m)
      })
    }
  }

  tests.run()
}
