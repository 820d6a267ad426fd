/** A definition of a kind that nothing in this package knows. */
export const widgetDefinition = {
  metadata: { name: 'widgets.shop.example.com' },
  spec: {
    group: 'shop.example.com',
    scope: 'Namespaced',
    names: {
      ...{ kind: 'Widget', listKind: 'WidgetList', plural: 'widgets', singular: 'widget' },
      shortNames: ['wd'],
    },
    versions: [
      {
        ...{ name: 'v1', served: true, storage: true },
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            required: ['spec'],
            properties: {
              spec: {
                type: 'object',
                required: ['size'],
                properties: { size: { type: 'integer', minimum: 1, description: 'How large.' } },
              },
              status: { type: 'object', properties: { fits: { type: 'boolean' } } },
            },
          },
        },
      },
    ],
  },
} as const
