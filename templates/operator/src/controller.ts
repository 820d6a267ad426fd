import { defineController, done, setCondition } from 'orch'
import { configMaps } from 'orch/generated/apis/core/v1/config-map'
import { sampleKinds } from '../generated/apis/sample/v1alpha1/sample-kind.ts'

/** Keeps a ConfigMap with the text of every SampleKind, and says in its status that it is there. */
export const sampleKindController = defineController({
  name: 'sample-kind',
  for: sampleKinds,
  owns: [configMaps],

  async reconcile(object, { ensure, setStatus, clock }) {
    const { name, generation = 0 } = object.metadata
    await ensure(configMaps, { metadata: { name }, data: { text: object.spec.text } })
    const ready = {
      type: 'Ready',
      status: 'True',
      reason: 'Written',
      message: 'the text is kept',
    } as const
    await setStatus({
      observedGeneration: generation,
      conditions: setCondition(object.status?.conditions, ready, clock.now()),
    })
    return done
  },
})
