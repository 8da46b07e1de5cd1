curl -L https://shop.example.com/password --json '{"password": "password", "pin": "abcdef"}'
curl -L https://shop.example.com/abcdefg
