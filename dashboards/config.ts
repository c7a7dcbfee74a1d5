import { Type } from 'typebox';

export const DashboardsConfigProperties = {
  http: Type.Optional(
    Type.Object(
      {
        host: Type.Optional(Type.String({ minLength: 1 })),
        port: Type.Optional(Type.Integer({ minimum: 0, maximum: 65_535 })),
        public_url: Type.Optional(Type.String({ pattern: '^https?://[^/]+(/.*[^/])?$' })),
        tokens: Type.Optional(
          Type.Array(
            Type.Object(
              { token: Type.String({ minLength: 16 }), scope: Type.Enum(['operator', 'ingest']) },
              { additionalProperties: false },
            ),
          ),
        ),
      },
      { additionalProperties: false },
    ),
  ),
} as const;

export const DEFAULT_HOST = '127.0.0.1';
export const DEFAULT_PORT = 8484;
