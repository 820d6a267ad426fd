import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { servedScheme } from '../../../runtime/apiserver/apiserver.ts'
import { mergeSchemes, type Scheme } from '../../../runtime/kernel/descriptors/scheme.ts'
import { scheme as base, factsOf } from '../server/scheme.ts'

const test = suite('runtime/apiserver: --runtime-config')

const beta = factsOf({ group: 'apps', version: 'v1beta1', kind: 'Thing', plural: 'things' })
const alpha = factsOf({ group: 'apps', version: 'v1alpha1', kind: 'Thing', plural: 'things' })
const old = factsOf({
  group: 'apps',
  version: 'v1beta2',
  kind: 'Deployment',
  plural: 'deployments',
})
const scheme: Scheme = {
  ...base,
  groups: [
    ...base.groups.filter(({ group }) => group !== 'apps'),
    {
      group: 'apps',
      versions: ['v1', 'v1beta2', 'v1beta1', 'v1alpha1'],
      priority: 17800,
      off: ['v1beta1', 'v1alpha1'],
    },
  ],
  routes: {
    ...base.routes,
    'apis/apps/v1alpha1/things': alpha,
    'apis/apps/v1beta1/things': beta,
    'apis/apps/v1beta2/deployments': old,
  },
  openapi: async () => ({ 'api/v1': '{}', 'apis/apps/v1': '{}', 'apis/apps/v1beta1': '{}' }),
  removals: [
    {
      group: 'apps',
      version: 'v1beta2',
      removed: '1.16',
      resources: { deployments: 'Deployment' },
    },
  ],
}

const everything = ['deployments', 'namespaces', 'pods']

function served(...words: string[]): readonly string[] {
  const { scheme: shown, problems } = servedScheme(scheme, words)
  assert.equal(problems, [])
  return Object.keys(shown.routes)
    .map((path) => path.split('/').slice(-2).join('/').replace(/^v1\//, ''))
    .sort()
}

// A9.3, A9.4, A9.5, A9.68
const forms: readonly [fact: string, words: readonly string[], want: readonly string[]][] = [
  ['alpha, beta and removed versions are off', [], everything],
  ['a version is turned on by its name', ['apps/v1beta1'], [...everything, 'v1beta1/things']],
  ['or with true', ['apps/v1alpha1=true'], [...everything, 'v1alpha1/things']],
  ['a version is turned off', ['apps/v1=false'], ['namespaces', 'pods']],
  ['one resource is turned off', ['apps/v1/deployments=false'], ['namespaces', 'pods']],
  ['one resource is turned on', ['apps/v1beta1/things=1'], [...everything, 'v1beta1/things']],
  ['the core version has two names', ['v1=false'], ['deployments']],
  ['and this one', ['api/v1=0'], ['deployments']],
  ['api/all turns all on', ['api/all'], [...everything, 'v1alpha1/things', 'v1beta1/things']],
  ['api/beta only the beta ones', ['api/beta=true'], [...everything, 'v1beta1/things']],
  ['api/alpha only the alpha ones', ['api/alpha'], [...everything, 'v1alpha1/things']],
  ['api/ga turns the stable ones off', ['api/ga=false', 'v1'], ['namespaces', 'pods']],
  ['the narrower key wins', ['apps/v1', 'api/all=false'], ['deployments']],
  ['the last of the same keys wins', ['apps/v1=false', 'apps/v1=true'], everything],
]
for (const [fact, words, want] of forms) {
  test(fact, () => assert.equal(served(...words), [...want].sort()))
}

test('what names nothing is refused, with what it may have meant', () => {
  const { problems } = servedScheme(scheme, ['appss/v1', 'apps/v1=maybe', 'nothing/v9/at-all'])
  assert.equal(problems, [
    '--runtime-config: apps/v1=maybe: the value must be true or false',
    '--runtime-config: appss/v1 is no API that this server has; did you mean apps/v1?',
    '--runtime-config: nothing/v9/at-all is no API that this server has',
  ])
  assert.equal(servedScheme(scheme, ['api/all=false']).problems, [
    '--runtime-config leaves nothing to serve',
  ])
})

test('documents of versions that are off are not published', async () => {
  const { scheme: shown } = servedScheme(scheme, ['v1=false'])
  assert.equal(Object.keys(await shown.openapi()), ['apis/apps/v1'])
})

test("a user's tree keeps its versions, whatever they are called", () => {
  const own = factsOf({ group: 'example.com', version: 'v1alpha1', kind: 'Own', plural: 'owns' })
  const merged = mergeSchemes(base, {
    ...base,
    groups: [{ group: 'example.com', versions: ['v1alpha1'], priority: 1000 }],
    routes: { 'apis/example.com/v1alpha1/owns': own },
  })
  assert.ok(servedScheme(merged, []).scheme.routes['apis/example.com/v1alpha1/owns'])
})

test.run()
