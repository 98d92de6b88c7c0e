/** Names whose values are secrets, as services, providers and logs write them. */
export const SECRET_NAMES = [
  ...["password", "passwd", "pwd", "dbPassword", "db_password", "DB_PASSWORD", "userpassword"],
  ...["smtp-password", "password_hash", "passwordHash", "oldPassword", "Password1", "PASSWORD"],
  ...["passphrase", "pass_phrase", "keyPassphrase", "secret", "secrets", "clientSecret"],
  ...["client_secret", "client-secret", "CLIENTSECRET", "appSecret", "app.secret", "secretV2"],
  ...["webhookSecret", "signing_secret", "secretKey", "secret_access_key", "secretId"],
  ...["credential", "credentials", "serviceAccountCredentials", "credential_id", "token"],
  ...["accessToken", "access_token", "ACCESS_TOKEN", "accesstoken", "refreshToken"],
  ...["refresh-token", "idToken", "bearer_token", "sessionToken", "authToken", "X-Auth-Token"],
  ...["apiToken", "personalAccessToken", "tokenHash", "token_value", "tokenId", "csrfToken"],
  ...["xsrf_token", "device.token", "token2", "tokenV2", "apiKey", "api_key", "API-KEY"],
  ...["apikey", "APIKEY", "x-api-key", "X_API_KEY", "apiKeyId", "api_key_hash", "hapikey"],
  ...["accessKey", "access_key_id", "awsSecretAccessKey", "privateKey", "private_key_pem"],
  ...["privateKeyPem", "PRIVATEKEY", "signingKey", "webhookSigningKey", "encryption_key"],
  ...["masterKey", "ssh_key", "hmacKey", "sharedKey", "accountKey", "storagekey", "licenseKey"],
  ...["service_key", "consumerKey", "auth", "basicAuth", "http_auth", "proxy-auth"],
  ...["authorization", "Authorization", "Proxy-Authorization", "cookie", "Set-Cookie"],
  ...["sessionCookie", "jwt", "userJwt", "jwt_value", "JWT", "bearer", "otp", "mfa_otp", "pin"],
  ...["userPin", "cvv", "signature", "sig", "sessionId", "session_id", "PHPSESSID", "dsn"],
  ...["sentryDsn", "connectionString", "connection_string", "smtp_pass", "userPass", "psk"],
  ...["passcode", "clientAssertion", "github_pat"],
];

/** Names that look like those of secrets, and whose values people need to read. */
export const HARMLESS_NAMES = [
  ...["nextPageToken", "pageToken", "next_page_token", "continuationToken", "syncToken"],
  ...["publicKey", "public_key_pem", "PUBLIC-KEY", "publishableKey", "primaryKey", "primary_key"],
  ...["foreignKey", "objectKey", "object_key", "partitionKey", "sortKey", "cacheKey"],
  ...["routingKey", "idempotencyKey", "uniqueKey", "fieldKey", "propertyKey", "issueKey"],
  ...["maxTokens", "total_tokens", "tokenType", "tokenURL", "token_endpoint", "tokenCount"],
  ...["tokenExpiry", "authType", "authURL", "authScheme", "auth_method", "authenticated"],
  ...["authorizedBy", "author", "authority", "keyword", "keywords", "keyFormat", "keyName"],
  ...["apiKeyOpts", "apiKeyAsBasic", "accessTokenOpts", "cookiePolicy", "cookieDomain"],
  ...["monkey", "turkey", "hockeyTeam", "secretary", "secretaryName", "passenger", "passage"],
  ...["bypass", "compassHeading", "pinned", "pinterest", "mapping", "spine", "signal", "sign"],
  ...["design", "assigned", "oauth", "OAuth", "jwtIssuer", "bearerMethod", "sessionCount"],
  ...["objectLabel", "destinationId", "scheduleName", "otpEnabledAt", "pathname", "pattern"],
];
