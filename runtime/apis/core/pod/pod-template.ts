import type { PodTemplate } from '../../../../generated/apis/core/v1/pod-template.ts'
import { change } from '../../../kernel/values/change.ts'
import type { Strategy } from '../../strategy/strategy.ts'
import { defaultTemplate } from './pod-template-spec.ts'
import { templateWarnings } from './pod-warnings.ts'

/** A template that is an object of its own may be whatever a pod may be. */
export const storedTemplate: Strategy<PodTemplate> = {
  defaults(object) {
    const { template } = object
    return template === undefined ? object : change(object, { template: defaultTemplate(template) })
  },
  warn: ({ template }, old, { platform }) =>
    templateWarnings('template', template, platform.domain, template, old?.template),
  check: (object) => object.visit('template'),
}
