# Doxygen folds nothing that spans paragraphs: hand the tags of a folded answer to HTML as they are.
s#^<details>.*</summary>$#\\htmlonly[block]\n&\n\\endhtmlonly#
s#^</details>$#\\htmlonly[block]\n&\n\\endhtmlonly#
