/** Single edits of valid objects that are accepted, or refused at one field. */
import { createEdits } from './edits.ts'
import { writing } from './tables.ts'

const test = writing('runtime/apis: acceptance')

const labels = { app: 'web' }
const container = { name: 'main', image: 'example/app' }
const template = { metadata: { labels }, spec: { containers: [container] } }
const workload = { spec: { selector: { matchLabels: labels }, template } }

// The pods of a set are judged when they are made: what they mount may be claims of their own.
createEdits(test, 'apis/apps/v1/statefulsets', { spec: { ...workload.spec, serviceName: 's' } }, [
  ['spec.template.spec.containers.0.volumeMounts', [{ name: 'data', mountPath: '/data' }]],
  ['spec.template.spec.containers', []],
  ['spec.template.spec.restartPolicy', 'Never', 'spec.template.spec.restartPolicy'],
  ['spec.template.metadata.annotations', { 'a/b/c': '' }, 'spec.template.annotations'],
  ['spec.volumeClaimTemplates', [{ metadata: { name: 'data' }, spec: { accessModes: ['Any'] } }]],
])
createEdits(test, 'apis/apps/v1/deployments', workload, [
  ['spec.template.metadata.ownerReferences', [{}]],
  ['spec.template.metadata.annotations', { 'a/b/c': '' }, 'spec.template.annotations'],
  ['metadata.finalizers', ['x'], 'metadata.finalizers[0]'],
])

const annotations = 'metadata.annotations'
const appArmor = 'container.apparmor.security.beta.orch.io/'
const seccomp = 'seccomp.security.alpha.orch.io/pod'
createEdits(test, 'api/v1/pods', { spec: { containers: [container] } }, [
  [annotations, { [`${appArmor}main`]: 'localhost/x' }],
  [annotations, { [`${appArmor}other`]: 'unconfined' }, `${annotations}[${appArmor}other]`],
  [annotations, { [`${appArmor}main`]: 'any' }, `${annotations}[${appArmor}main]`],
  [annotations, { [seccomp]: 'docker/default' }],
  [annotations, { [seccomp]: 'any' }, `${annotations}[${seccomp}]`],
])

test.run()
