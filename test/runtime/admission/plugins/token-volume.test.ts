/** ServiceAccount where tokens last: pods get a volume with a token, authorities and their namespace, and ephemeral containers keep to the secrets of the account. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { make, openAdmitted, pod } from '../../../support/admission.ts'
import { body, kindAt, type OpenRegistry, quiet } from '../../../support/registry.ts'
import { assertRejects } from '../../../support/rejects.ts'

const test = suite<OpenRegistry>('runtime/admission: token volume')

test.before(async (context) => {
  const settings = { ServiceAccount: { mountsTokens: true } }
  Object.assign(context, await openAdmitted({ settings }))
  const accounts = 'api/v1/serviceaccounts'
  await make(context, accounts, { metadata: { name: 'robot' } })
  await make(context, accounts, {
    metadata: { name: 'quiet' },
    automountServiceAccountToken: false,
  })
  const annotations = { 'orch.io/enforce-mountable-secrets': 'T' }
  await make(context, accounts, {
    metadata: { name: 'strict', annotations },
    secrets: [{ name: 'mine' }],
  })
})
test.after(({ close }) => close())

interface Container {
  readonly name: string
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[]
}

interface PodLike {
  readonly spec: {
    readonly volumes?: readonly { readonly name: string }[]
    readonly containers: readonly Container[]
    readonly initContainers?: readonly Container[]
  }
}

const mountPath = '/var/run/secrets/orch.io/serviceaccount'

async function made(opened: OpenRegistry, name: string, spec: object): Promise<PodLike['spec']> {
  const { object } = await make<PodLike>(opened, 'api/v1/pods', pod(name, spec))
  return object.spec
}

test('every container gets the volume, which holds what programs in a cluster look for', async (opened) => {
  const initContainers = [{ name: 'first', image: 'a' }]
  const {
    volumes = [],
    containers,
    initContainers: first = [],
  } = await made(opened, 'plain', {
    serviceAccountName: 'robot',
    initContainers,
  })
  const [volume] = volumes
  assert.match(volume?.name ?? '', /^orch-api-access-[a-z0-9]{5}$/)
  assert.equal(JSON.parse(JSON.stringify(volume)), {
    name: volume?.name,
    projected: {
      sources: [
        { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
        { configMap: { name: 'orch-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        {
          downwardAPI: {
            items: [
              {
                path: 'namespace',
                fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' },
              },
            ],
          },
        },
      ],
      defaultMode: 420,
    },
  })
  for (const { volumeMounts } of [...first, ...containers]) {
    assert.equal(JSON.parse(JSON.stringify(volumeMounts)), [
      { name: volume?.name, readOnly: true, mountPath },
    ])
  }
})

test('pods and accounts may do without; the word of the pod goes first', async (opened) => {
  const without = await made(opened, 'without', {
    serviceAccountName: 'robot',
    automountServiceAccountToken: false,
  })
  assert.is(without.volumes, undefined)
  assert.is((await made(opened, 'quiet', { serviceAccountName: 'quiet' })).volumes, undefined)
  const loud = await made(opened, 'loud', {
    serviceAccountName: 'quiet',
    automountServiceAccountToken: true,
  })
  assert.is(loud.volumes?.length, 1)
  assert.is((await made(opened, 'default', {})).volumes, undefined)
})

test('a mount of its own keeps its place, and a volume of that name is used', async (opened) => {
  const volumes = [{ name: 'own', emptyDir: {} }]
  const volumeMounts = [{ name: 'own', mountPath }]
  const own = await made(opened, 'own', {
    serviceAccountName: 'robot',
    volumes,
    containers: [{ name: 'a', image: 'a', volumeMounts }],
  })
  assert.equal(
    own.volumes?.map(({ name }) => name),
    ['own'],
  )
  const named = await made(opened, 'named', {
    serviceAccountName: 'robot',
    volumes: [{ name: 'orch-api-access-abcde', emptyDir: {} }],
  })
  assert.equal(
    named.volumes?.map(({ name }) => name),
    ['orch-api-access-abcde'],
  )
  assert.is(named.containers[0]?.volumeMounts?.[0]?.name, 'orch-api-access-abcde')
})

test('ephemeral containers are held to the secrets of a strict account', async (opened) => {
  const pods = kindAt('api/v1/pods')
  await made(opened, 'debugged', {
    serviceAccountName: 'strict',
    automountServiceAccountToken: false,
  })
  const target = {
    kind: pods,
    namespace: 'default',
    name: 'debugged',
    subresource: 'ephemeralcontainers',
  }
  const add = (secret: string) => {
    const env = [{ name: 'E', valueFrom: { secretKeyRef: { name: secret, key: 'k' } } }]
    const ephemeralContainers = [
      {
        name: secret,
        image: 'a',
        env,
        terminationMessagePolicy: 'File',
        imagePullPolicy: 'Always',
      },
    ]
    return opened.registry.patch(
      target,
      'strategic',
      body({ spec: { ephemeralContainers } }),
      quiet,
    )
  }
  const error = await assertRejects(add('other'), 'Forbidden')
  assert.match(
    error.message,
    'ephemeral container other with envVar E referencing secret.secretName="other" is not allowed because service account strict does not reference that secret',
  )
  await add('mine')
})

test.run()
