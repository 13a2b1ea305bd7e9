// One undeclared name.
int main() { return undeclared; }
