import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { scheme } from '../../generated/scheme.ts'
import { createReport } from '../../runtime/kernel/validation/field-error.ts'

const readers = suite('generated: readers of the first kinds')

function read(route: string, value: unknown) {
  const report = createReport()
  const object = scheme.routes[route]!.read(value, report)
  return { object, text: JSON.stringify(object), report }
}

function findings(route: string, value: unknown): readonly string[] {
  return read(route, value).report.errors.map(({ path, message }) => `${path}: ${message}`)
}

const web = {
  metadata: { name: 'web' },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'web', image: 'web:1' }] },
    },
  },
}

readers('an object is written in declaration order with its defaults and kept zeros', () => {
  //
  assert.is(
    read('apis/apps/v1/deployments', web).text,
    JSON.stringify({
      kind: 'Deployment',
      apiVersion: 'apps/v1',
      metadata: { name: 'web', creationTimestamp: null },
      spec: {
        replicas: 1,
        selector: { matchLabels: { app: 'web' } },
        template: {
          metadata: { creationTimestamp: null, labels: { app: 'web' } },
          spec: {
            containers: [
              {
                name: 'web',
                image: 'web:1',
                resources: {},
                terminationMessagePath: '/dev/termination-log',
                terminationMessagePolicy: 'File',
              },
            ],
            restartPolicy: 'Always',
            terminationGracePeriodSeconds: 30,
            dnsPolicy: 'ClusterFirst',
            securityContext: {},
            schedulerName: 'default-scheduler',
          },
        },
        strategy: { type: 'RollingUpdate' },
        revisionHistoryLimit: 10,
        progressDeadlineSeconds: 600,
      },
      status: {},
    }),
  )
})

readers('what a reader wrote, it reads as it is', () => {
  for (const [route, kind] of Object.entries(scheme.routes)) {
    const once = read(route, { metadata: { name: 'a' } }).text
    assert.is(JSON.stringify(kind.read(JSON.parse(once), createReport())), once, route)
  }
})

readers('the order of keys and of map entries in the input does not matter', () => {
  const reversed = (value: unknown): unknown =>
    typeof value !== 'object' || value === null || Array.isArray(value)
      ? value
      : Object.fromEntries(
          Object.entries(value)
            .reverse()
            .map(([key, part]) => [key, reversed(part)]),
        )
  assert.is(
    read('apis/apps/v1/deployments', reversed(web)).text,
    read('apis/apps/v1/deployments', web).text,
  )
})

readers('a node without a status has the zero of every part that is always written', () => {
  //
  const { object } = read('api/v1/nodes', { metadata: { name: 'n' } })
  assert.equal(object.status.daemonEndpoints, { orchletEndpoint: { Port: 0 } })
  assert.is(object.status.nodeInfo.machineID, '')
})

readers('names that are odd stay so, and what is always written is a zero', () => {
  // I-32
  const iscsi = { targetPortal: 't', iqn: 'i', lun: 0 }
  const spec = { serviceAccountName: 'a', serviceAccount: 'a', containers: [] }
  const pod = read('api/v1/pods', {
    metadata: { name: 'p' },
    spec: { ...spec, volumes: [{ name: 'v', iscsi }] },
  })
  const { serviceAccount, serviceAccountName, volumes } = pod.object.spec
  assert.equal([serviceAccount, serviceAccountName], ['a', 'a'])
  assert.equal([volumes[0].iscsi.iqn, volumes[0].iscsi.lun], ['i', 0])
  const { status } = read('api/v1/nodes', { metadata: { name: 'n' } }).object
  assert.is(status.daemonEndpoints.orchletEndpoint.Port, 0)
})

readers('what is missing is reported, unless its zero is judged by the checks of the kind', () => {
  // D-22, E-06
  assert.equal(findings('apis/apps/v1/deployments', {}), ['spec.selector: Required value'])
})

readers('an empty closed value is absent where zero means absent', () => {
  const pod = { spec: { containers: [], restartPolicy: '' } }
  assert.equal(findings('api/v1/pods', pod), [])
  assert.is(read('api/v1/pods', pod).object.spec.restartPolicy, 'Always')
  assert.equal(findings('api/v1/pods', { spec: { containers: [], restartPolicy: 'Once' } }), [
    'spec.restartPolicy: Unsupported value: "Once": supported values: "Always", "OnFailure", "Never"',
  ])
})

readers('a required list given as null is there and is written as null', () => {
  const { text, report } = read('api/v1/pods', { spec: { containers: null } })
  assert.equal(report.errors, [])
  assert.match(text, '"containers":null')
})

readers('unknown fields are pruned and named, those with hostile names too', () => {
  // F-02
  const body = JSON.parse(
    '{"metadata":{"__proto__":{"x":1}},"spec":{"containers":[{"name":"a","foo":1}],"constructor":1}}',
  )
  const { text, report } = read('api/v1/pods', body)
  assert.equal(report.unknownFields.toSorted(), [
    'metadata.__proto__',
    'spec.constructor',
    'spec.containers[0].foo',
  ])
  assert.not.match(text, /__proto__|constructor|foo/)
})

readers('an object without a prototype is read like any other', () => {
  const bare = Object.assign(Object.create(null), {
    data: Object.assign(Object.create(null), { k: 'v' }),
  })
  assert.equal(read('api/v1/configmaps', bare).object.data, { k: 'v' })
})

readers('keys of a map list are compared after their defaults (C-12)', () => {
  const ports = [{ port: 80 }, { port: 80, protocol: 'TCP' }]
  assert.equal(findings('api/v1/services', { spec: { ports } }), [
    'spec.ports[1]: Duplicate value: {"port":80,"protocol":"TCP"}',
  ])
})

readers('a list whose schema accepts duplicates keeps them (F-10)', () => {
  const ports = [{ containerPort: 80 }, { containerPort: 80, protocol: 'TCP' }]
  assert.equal(findings('api/v1/pods', { spec: { containers: [{ name: 'a', ports }] } }), [])
})

readers('a value of the wrong type is no validation finding but a decoding one', () => {
  // D-22
  const { report } = read('apis/apps/v1/deployments', {
    ...web,
    spec: { ...web.spec, replicas: '3' },
  })
  assert.equal(
    report.typeErrors.map(({ message }) => message),
    ['json: cannot unmarshal string into field spec.replicas of type integer'],
  )
})

readers('any JSON value at all is read without throwing', () => {
  for (const route of Object.keys(scheme.routes)) {
    for (const value of [null, undefined, 1, 'x', true, [], [[]], { spec: [] }, { metadata: 1 }]) {
      read(route, value)
    }
  }
})

readers.run()
