// Only has to compile: what must not compile is marked.
import { deployments } from '../../../generated/apis/apps/v1/deployment.ts'
import { defineWebhook } from '../../../runtime/runtime.ts'

defineWebhook({
  name: 'deployments.shop.example.com',
  for: deployments,
  mutate(draft) {
    draft.spec ??= { selector: {}, template: {} }
    draft.spec.replicas = 2
    draft.spec.template.spec?.containers.push({ name: 'x', image: 'y' })
    // @ts-expect-error a value of another type
    draft.spec.replicas = 'two'
    // @ts-expect-error a field that the kind does not have
    draft.spec.size = 2
  },
  validate(deployment, request) {
    // @ts-expect-error what is validated does not change any more
    deployment.spec = { selector: {}, template: {} }
    if (request.operation === 'CREATE') {
      // @ts-expect-error a new object has no old one
      request.oldObject.metadata.uid
    } else request.refuse('spec', request.oldObject.metadata.uid)
  },
})

// @ts-expect-error an operation that there is not
defineWebhook({ name: 'a.b.c', for: deployments, operations: ['PATCH'], validate() {} })
